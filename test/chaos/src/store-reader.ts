import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Step and number of the message, as the checker names them: `ordered k3.17`. */
type MessageName = string;

const LIBSQL = createRequire(import.meta.url).resolve('libsql');

/** What lies in the file and is not done. Read without any code of the engine. */
const UNSETTLED = `SELECT lower(s.step) || ' ' || json_extract(d.data, '$.id') AS name
  FROM queue_deliveries d JOIN queue_subscriptions s ON s.number = (d.id >> 44) WHERE s.step <> ''`;

/** Of a running engine: what is committed at this moment. */
export function unsettledNow(file: string): readonly MessageName[] {
  return unsettledIn(file);
}

/** Of an engine that was killed. */
export function unsettledAfterDeath(file: string): readonly MessageName[] {
  return afterDeath(file, unsettledIn);
}

/** Rows of a query on the store of an engine that was killed. */
export function rowsAfterDeath<Row>(file: string, sql: string): readonly Row[] {
  return afterDeath(file, (copy) => rowsIn<Row>(copy, sql));
}

/** From a copy: to look into the file itself would move its log, which the next engine is to find. */
function afterDeath<T>(file: string, look: (copy: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'chaos-store-'));
  try {
    const copy = join(folder, 'copy.db');
    copyFileSync(file, copy);
    if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`);
    return look(copy);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function unsettledIn(file: string): readonly MessageName[] {
  return rowsIn<{ readonly name: string }>(file, UNSETTLED).map(({ name }) => name);
}

/**
 * In a process of its own: libsql lets go of a file only when its statements are collected, and a reader that lingers keeps the index of
 * the log alive. The next engine would go by what the killed one had put into it, instead of by the log itself.
 */
function rowsIn<Row>(file: string, sql: string): readonly Row[] {
  const program = `const database = new (require(process.argv[1]))(process.argv[2]);
    console.log(JSON.stringify(database.prepare(process.argv[3]).all()));`;
  const answer = execFileSync(process.execPath, ['--eval', program, LIBSQL, file, sql], { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });
  return JSON.parse(answer) as Row[];
}

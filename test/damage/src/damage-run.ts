import { chownSync, cpSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { EngineProcess } from '../../support/engine-process.js';
import { request } from '../../support/http-client.js';
import { tempApplication } from '../../support/temp-folder.js';
import { waitUntil } from '../../support/wait-until.js';
import { APPLICATION, KV_APPLICATION } from './stored-application.js';
import type { Way } from './ways.js';

/** `told`: the engine ended with 74, or its log says what may be lost. `silent` must not be. */
export type Verdict = 'refused' | 'recovered' | 'told' | 'silent';

export interface DamageResult {
  readonly way: string;
  readonly when: Way['when'];
  readonly verdict: Verdict;
  readonly acknowledged: number;
  /** Acknowledged values that are not there, or are others, as state or as items, and those whose message nobody has taken. */
  readonly missing: number;
  /** From the damage to the end of the running engine. */
  readonly noticedMs?: number;
  /** What the engine said. */
  readonly text: string;
}

const FORMER = 150;
const WRITERS = 8;
/** An engine notices within a second; on a machine with much else to do it may take longer. */
const NOTICED_MS = 5_000;
/** Most of the other files nobody needs while it runs. */
const OTHERS_NOTICED_MS = 2_000;
const READ_AT_ONCE = 100;
/** How long messages have until they are taken: another engine's are taken over within 5 seconds. */
const TAKEN_MS = 20_000;
const LOOK_MS = 200;
const TOLD = /(STORE|DATA_DIR|FILE)_[A-Z_]+ .*(\n +hint.*)?|.*store cannot be compared.*/;
/** Whom the system does not let read everything. */
const NOBODY = 65_534;

/** Values that were acknowledged, kept apart from the engine. */
type Record = Map<string, string>;

/** Lets an engine store values, harms its files, and finds out what became of what it had acknowledged. */
export async function runWay(way: Way): Promise<DamageResult> {
  const cwd = tempApplication(way.others ? KV_APPLICATION : APPLICATION);
  if (way.others && process.getuid?.() === 0) chownSync(cwd, NOBODY, NOBODY);
  const [data, former] = [join(cwd, 'data'), join(cwd, 'former')];
  const record: Record = new Map();
  const first = start(way, cwd);
  const writing = new Writing(await first.ready(), 'first', record);
  await writing.until(FORMER);
  await writing.stop();
  await first.stop();
  return way.when === 'running' ? whileRunning(way, { cwd, data, former, record }) : beforeStart(way, { cwd, data, former, record });
}

interface Place {
  readonly cwd: string;
  readonly data: string;
  readonly former: string;
  readonly record: Record;
}

async function whileRunning(way: Way, place: Place): Promise<DamageResult> {
  const { engine, writing } = await secondLife(way, place);
  const began = performance.now();
  way.harm(place.data, place.former);
  const exit = await Promise.race([engine.exit, wait(way.others ? OTHERS_NOTICED_MS : NOTICED_MS)]);
  const noticedMs = Math.round(performance.now() - began);
  await writing.stop();
  if (exit?.code !== 74) {
    await engine.stop('SIGKILL');
    return judge(way, place);
  }
  // Somebody starts it again at once, perhaps without having read why it ended.
  const next = await judge(way, place);
  return { ...next, verdict: next.verdict === 'silent' ? 'silent' : 'told', noticedMs, text: `${told(engine)} | next start ${next.verdict} ${next.text}` };
}

async function beforeStart(way: Way, place: Place): Promise<DamageResult> {
  const { engine, writing } = await secondLife(way, place);
  await engine.stop('SIGKILL');
  await writing.stop();
  if (way.mend) cpSync(place.data, place.former, { recursive: true, force: true, preserveTimestamps: true, filter: isNoSocket });
  way.harm(place.data, place.former);
  const answer = await judge(way, place);
  if (answer.verdict !== 'refused' || !way.mend) return answer;
  // What was refused must have been left as it was.
  way.mend(place.data, place.former);
  const mended = await judge(way, place);
  return mended.verdict === 'recovered' ? answer : { ...mended, verdict: 'silent', text: `${answer.text} | mended: ${mended.verdict} ${mended.text}` };
}

/** What it acknowledges first is in the copy that some ways put back. */
async function secondLife(way: Way, { cwd, data, former, record }: Place): Promise<{ engine: EngineProcess; writing: Writing }> {
  const engine = start(way, cwd);
  const writing = new Writing(await engine.ready(), 'second', record);
  await writing.until(FORMER + 50);
  mkdirSync(former);
  for (const name of ['treadle.db', 'treadle.db-wal']) cpSync(join(data, name), join(former, name));
  await writing.until(FORMER + 150);
  return { engine, writing };
}

async function judge(way: Way, place: Place): Promise<DamageResult> {
  const engine = start(way, place.cwd);
  const url = await engine.ready().catch(() => undefined);
  if (url === undefined) {
    const { code } = await engine.exit;
    return result(way, place, { verdict: code === 74 && told(engine) !== '' ? 'refused' : 'silent', missing: 0, text: `exit ${code}: ${told(engine) || engine.output.slice(-600)}` });
  }
  const missing = await missingOf(url, place.record).catch(async (error: Error) => {
    if (await Promise.race([engine.exit, wait(NOTICED_MS)])) return undefined;
    throw error;
  });
  const text = told(engine);
  if (missing === undefined) return result(way, place, { verdict: (await engine.exit).code === 74 && text !== '' ? 'told' : 'silent', missing: 0, text: `ended: ${text}` });
  await engine.stop();
  return result(way, place, { verdict: missing === 0 ? 'recovered' : text === '' ? 'silent' : 'told', missing, text });
}

/** What was stored for a key, as the Step that reads tells it. */
interface Stored { readonly value?: unknown; readonly item?: unknown; readonly taken?: unknown }

/** A message may be under way: it counts as gone when it was not taken in time. */
async function missingOf(url: string, record: Record): Promise<number> {
  let lacking = [...record.keys()];
  const end = performance.now() + TAKEN_MS;
  do {
    lacking = await lackingOf(url, record, lacking);
  } while (lacking.length > 0 && performance.now() < end && await wait(LOOK_MS, true));
  return lacking.length;
}

async function lackingOf(url: string, record: Record, keys: readonly string[]): Promise<string[]> {
  const lacking: string[] = [];
  for (let at = 0; at < keys.length; at += READ_AT_ONCE) {
    const part = keys.slice(at, at + READ_AT_ONCE);
    // A machine with much else to do may refuse; what is there is only known from an answer.
    const values = await waitUntil('values to be read', async () => {
      const { status, json } = await request('POST', `${url}/read`, part);
      return status === 200 ? json as readonly Stored[] : undefined;
    });
    lacking.push(...part.filter((key, index) => {
      const { value, item, taken } = values[index] ?? {};
      return value !== record.get(key) || item !== record.get(key) || taken !== true;
    }));
  }
  return lacking;
}

function start({ others }: Way, cwd: string): EngineProcess {
  const user = others && process.getuid?.() === 0 ? { user: NOBODY } : {};
  return new EngineProcess({ cwd, args: ['--config', 'config.yaml'], ...user });
}

function isNoSocket(path: string): boolean {
  return !statSync(path).isSocket();
}

function told({ output }: EngineProcess): string {
  return TOLD.exec(output)?.[0] ?? '';
}

function result(
  { name, when }: Way, { record }: Place, rest: Pick<DamageResult, 'verdict' | 'missing' | 'text'> & { readonly noticedMs?: number },
): DamageResult {
  return { way: name, when, acknowledged: record.size, ...rest };
}

/** Writers that store a value each and go on when it is acknowledged. */
class Writing {
  private readonly before: number;
  private readonly writers: Promise<unknown>;
  private stopped = false;

  constructor(private readonly url: string, private readonly life: string, private readonly record: Record) {
    this.before = record.size;
    this.writers = Promise.all(Array.from({ length: WRITERS }, (_, writer) => this.write(writer)));
  }

  /** Waits until so many values are on record. */
  async until(count: number): Promise<void> {
    while (this.record.size < count && !this.stopped) await wait(5);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.writers;
  }

  private async write(writer: number): Promise<void> {
    for (let number = 0; !this.stopped; number += 1) {
      const [key, value] = [`${this.life}-${writer}-${number}`, `${this.before}-${number}-`.padEnd(1500, 'v')];
      const answer = await request('POST', `${this.url}/store`, { key, value }).catch(() => undefined);
      if (answer === undefined) return;
      if (answer.status === 200) this.record.set(key, value);
      else await wait(20);
    }
  }
}

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { EngineProcess, stopAllEngines } from '../../support/engine-process.js';
import { request } from '../../support/http-client.js';
import { tempApplication } from '../../support/temp-folder.js';
import { APPLICATION } from './stored-application.js';

/** What was left after engines that were killed one after the other. */
export interface ShortLives {
  readonly lives: number;
  readonly acknowledged: number;
  readonly largestLogBytes: number;
  readonly databaseBytes: number;
}

const WRITERS = 8;
const VALUE = 'v'.repeat(50_000);
const LENGTHS = [1, 4, 10];

/**
 * Starts an engine again and again, lets it store values of 50 KB and kills it in the middle of that: after so many values in the first life,
 * four times as many in the second, ten times in the third, then again. The log is moved every 16 MB, so some lives end long before that and others after.
 */
export async function runShortLives(lives: number, values: number): Promise<ShortLives> {
  const cwd = tempApplication(APPLICATION);
  const database = join(cwd, 'data/treadle.db');
  let acknowledged = 0;
  let largestLogBytes = 0;
  try {
    for (let life = 0; life < lives; life += 1) {
      const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
      const url = await engine.ready();
      acknowledged += await storeUntilKilled(engine, url, values * (LENGTHS[life % LENGTHS.length] ?? 1));
      largestLogBytes = Math.max(largestLogBytes, statSync(`${database}-wal`).size);
    }
    return { lives, acknowledged, largestLogBytes, databaseBytes: statSync(database).size };
  } finally {
    await stopAllEngines();
  }
}

/** @returns how many values were acknowledged */
async function storeUntilKilled(engine: EngineProcess, url: string, values: number): Promise<number> {
  let stored = 0;
  const write = async (writer: number): Promise<void> => {
    while (!engine.ended) {
      const answer = await request('POST', `${url}/store`, { key: `${writer}-${stored}`, value: VALUE }).catch(() => undefined);
      if (answer?.status === 200) stored += 1;
      if (stored >= values) engine.child.kill('SIGKILL');
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  await engine.exit;
  return stored;
}

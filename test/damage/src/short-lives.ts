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

/** Starts an engine again and again, lets it store values of 50 KB and kills it in the middle of that. */
export async function runShortLives(lives: number, valuesPerLife: number): Promise<ShortLives> {
  const cwd = tempApplication(APPLICATION);
  const database = join(cwd, 'data/treadle.db');
  let acknowledged = 0;
  let largestLogBytes = 0;
  try {
    for (let life = 0; life < lives; life += 1) {
      const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
      const url = await engine.ready();
      let stored = 0;
      const write = async (writer: number): Promise<void> => {
        while (stored < valuesPerLife) {
          const { status } = await request('POST', `${url}/store`, { key: `${writer}-${stored}`, value: VALUE });
          if (status === 200) stored += 1;
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
      await engine.stop('SIGKILL');
      acknowledged += stored;
      largestLogBytes = Math.max(largestLogBytes, statSync(`${database}-wal`).size);
    }
    return { lives, acknowledged, largestLogBytes, databaseBytes: statSync(database).size };
  } finally {
    await stopAllEngines();
  }
}

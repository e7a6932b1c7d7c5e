import { seededRandom, type ServerProcess } from '@treadle/testing';
import { expect } from 'chai';
import { missingServer, startRedis } from '../../plugins/redis/src/testing/server.fixture.js';
import { stopAllEngines } from '../support/engine-process.js';
import { requireOrSkip } from '../support/requirement.js';
import { Application, configOn, SLOTS } from './application.js';
import { comparable, HALF_PAIR, NAMES, RandomRows, type Rows } from './random-rows.js';

/** What is due does not keep since when. */
function asKept(slots: Readonly<Record<string, Rows>>): Readonly<Record<string, unknown>> {
  const now = Date.now();
  const delivery = slots['queue']?.['delivery']?.map(({ dueAt, ...row }) => (Number(dueAt) > now ? { ...row, dueAt } : row)) ?? [];
  return comparable({ ...slots, queue: { ...slots['queue'], delivery } });
}

describe('treadle store copy, with Redis', function () {
  this.timeout(300_000);
  let server: ServerProcess;

  before(async function () {
    requireOrSkip(this, missingServer() === undefined, 'Redis');
    server = await startRedis();
  });
  after(async () => {
    await stopAllEngines();
    await server?.stop();
  });

  for (const seed of [1, 2]) {
    it(`keeps every row from SQLite to Redis and back (seed ${seed})`, async () => {
      const rows = new RandomRows(seededRandom(seed), [...NAMES, HALF_PAIR]);
      const app = new Application({
        one: configOn('Sqlite', { file_path: 'one.db' }, 'data'), redis: configOn('Redis', { url: server.url, prefix: `copy_${seed}` }, 'data-redis'),
        two: configOn('Sqlite', { file_path: 'two.db' }, 'data'),
      });
      const filled = { state: rows.state, queue: rows.queue, stream: rows.stream, cron: rows.cron };
      await app.fill('one', filled);
      expect(await app.copy('one', 'redis')).to.have.property('agrees', true);
      expect(asKept(await app.rows('redis', SLOTS))).to.deep.equal(asKept(filled));
      expect(await app.copy('redis', 'two')).to.have.property('agrees', true);
      expect(asKept(await app.rows('two', SLOTS))).to.deep.equal(asKept(filled));
      const again = await app.copy('redis', 'two');
      expect(again.slots.map(({ outcome }) => outcome)).to.deep.equal(SLOTS.map(() => 'complete'));
    });
  }
});

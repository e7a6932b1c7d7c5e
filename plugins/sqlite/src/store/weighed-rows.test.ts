import type { NewMessage, SubscriptionChange } from '@treadle/api';
import { expect } from 'chai';
import type { Driver } from '../driver/driver.js';
import { QueueTable } from '../queue/queue-table.js';
import { StateReader } from '../state/state-reader.js';
import { StreamReader } from '../stream/stream-reader.js';
import { DRIVERS, surroundings } from '../testing/store.fixture.js';
import { openStore } from './open-store.js';
import type { SqliteStore } from './sqlite-store.js';
import { withinWeight } from './weighed-rows.js';

const LARGE = 'x'.repeat(1_000_000);
const COUNT = 20;
const large = (n: number): string => JSON.stringify(`${n} ${LARGE}`);
const numbers = Array.from({ length: COUNT }, (_, n) => n);
const keyOf = (n: number): string => `k${String(n).padStart(2, '0')}`;

describe('rows of large values', () => {
  it('end with the weight that may be in memory, but have at least one', () => {
    const loaded: unknown[] = [];
    const read = (lengths: readonly number[], limit: number) => withinWeight(lengths.map((each, id) => ({ id, data: each > 16_384 ? null : 'x'.repeat(each) })), limit, 'data', ({ id = null }) => {
      loaded.push(id);
      return 'y'.repeat(lengths[Number(id)] ?? 0);
    });
    expect(read([1, 2], 2)).to.deep.equal({ rows: [{ id: 0, data: 'x' }, { id: 1, data: 'xx' }], more: true });
    expect(read([1, 2], 3)).to.have.property('more', false);
    expect(read([9_000_000, 1], 9)).to.deep.equal({ rows: [{ id: 0, data: 'y'.repeat(9_000_000) }], more: true });
    expect(read([2_000_000, 2_000_000, 2_000_000, 2_000_000], 9).rows).to.have.length(2);
    expect(loaded).to.deep.equal([0, 0, 1, 2]);
  });

  for (const driver of DRIVERS) {
    describe(`(${driver.name})`, () => {
      let store: SqliteStore;
      const around = surroundings();
      beforeEach(async () => void (store = await opened(driver)));
      afterEach(() => store.close());

      const opened = (used: Driver): Promise<SqliteStore> => openStore({ file: ':memory:', driver: used, commits: 'loop', durability: 'full', ...around });

      it('come as pages of state that end early, and with nothing missing', () => {
        const put = store.reads.prepare('INSERT INTO state_entries (grp, key, value, revision) VALUES (?, ?, ?, 1)');
        for (const n of numbers) put.run('g', keyOf(n), large(n));
        const reader = new StateReader(store.reads);
        const pages: number[] = [];
        const found: string[] = [];
        for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
          const page = reader.list('g', { limit: 100, ...(cursor !== undefined && { cursor }) }, 0);
          pages.push(page.items.length);
          found.push(...page.items.map(({ key, value }) => `${key} ${String(value).split(' ')[0]} ${String(value).length}`));
          cursor = page.cursor;
        }
        expect(pages).to.deep.equal([4, 4, 4, 4, 4]);
        expect(found).to.deep.equal(numbers.map((n) => `${keyOf(n)} ${n} ${large(n).length - 2}`));
      });

      it('are read when somebody asks for a change of state', () => {
        const put = store.reads.prepare('INSERT INTO state_changes (id, grp, key, old_value, new_value, revision) VALUES (?, ?, ?, ?, ?, 1)');
        for (const n of numbers) put.run(`c${n}`, 'g', 'k', n === 0 ? null : large(n - 1), large(n));
        const changes = new StateReader(store.reads).pendingChanges(500);
        expect(changes.map(({ bytes }) => bytes)).to.deep.equal(numbers.map((n) => (n === 0 ? 0 : large(n - 1).length) + large(n).length));
        expect([changes[0]?.oldText, changes[0]?.newText === large(0), changes[7]?.oldValue === JSON.parse(large(6))]).to.deep.equal([undefined, true, true]);
        store.reads.exec("DELETE FROM state_changes WHERE id = 'c3'");
        expect(changes[3]?.newText).to.equal(undefined);
      });

      it('are read when somebody asks for a change of a stream', () => {
        const put = store.reads.prepare("INSERT INTO stream_changes (id, stream, grp, item, kind, data, origin) VALUES (?, 's', 'g', 'i', 'update', ?, '')");
        for (const n of numbers) put.run(`c${n}`, large(n));
        const changes = new StreamReader(store.reads).pendingChanges(500);
        expect(changes.map(({ text, data, bytes }, n) => [text === large(n), data === JSON.parse(large(n)), bytes])).to.deep.equal(numbers.map((n) => [true, true, large(n).length]));
      });

      for (const fifo of [false, true]) {
        it(`are claimed from the disk in their order, ${fifo ? 'fifo' : 'all at once'}`, async () => {
          const { table, leave } = QueueTable.of({ store, ...around, memoryBytes: 1_500_000 });
          const change: SubscriptionChange = { action: 'put', subscription: { step: 'a', topic: 't', application: 'x', fifo, delayMs: 0, settings: '' } };
          await table.changeSubscriptions([change]);
          const message = (n: number): NewMessage => ({
            id: `m${n}`, topic: 't', kind: 'queue', data: large(n), traceparent: '', hops: 0, enqueuedAt: 1, ...(fifo && { groupId: 'g' }),
          });
          for (const n of numbers) await table.enqueueMany([[message(n)]], { maxWaiting: 1_000 });
          expect(table.peek({ step: 'a', topic: 't' }, 500)).to.have.length(4);
          const claimed: string[] = [];
          for (let claims = table.claimMany([{ step: 'a', topic: 't', max: 7 }]); claims.length > 0; claims = table.claimMany([{ step: 'a', topic: 't', max: 7 }])) {
            claimed.push(...claims.map(({ messageId, data }) => `${messageId} ${data.length}`));
            await table.settleMany(claims.map((claim) => ({ action: 'done', claim }) as const));
          }
          expect(claimed).to.deep.equal(numbers.map((n) => `m${n} ${large(n).length}`));
          leave();
        });
      }

      it('come as pages of dead letters that end early, and with nothing missing', () => {
        const { table, leave } = QueueTable.of({ store, ...around, memoryBytes: 1_500_000 });
        const put = store.reads.prepare(`INSERT INTO queue_dead (step, topic, reason, dead_at, message, data, trace, enqueued_at, hops, kind, attempts, deaths, history)
          VALUES ('a', 't', 'max_attempts', 1, ?, ?, '', 1, 0, 0, 1, 0, '')`);
        for (const n of numbers) put.run(`m${n}`, large(n));
        const pages: number[] = [];
        const found: string[] = [];
        for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
          const page = table.deadLetters({}, { limit: 100, cursor });
          pages.push(page.items.length);
          found.push(...page.items.map(({ messageId, data }) => `${messageId} ${data.length}`));
          cursor = page.cursor;
        }
        expect(pages).to.deep.equal([4, 4, 4, 4, 4]);
        expect(found).to.deep.equal([...numbers].reverse().map((n) => `m${n} ${large(n).length}`));
        leave();
      });
    });
  }
});

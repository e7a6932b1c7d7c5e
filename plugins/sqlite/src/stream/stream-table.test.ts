import { join } from 'node:path';
import type { StreamEvent } from '@treadle/api';
import { expect } from 'chai';
import type { Driver } from '../driver/driver.js';
import { openStore } from '../store/open-store.js';
import { failingDriver } from '../testing/failing-driver.fixture.js';
import { DRIVERS, errorOf, freshFolder, surroundings } from '../testing/store.fixture.js';
import { BLOCK } from './group-log.js';
import { StreamTable } from './stream-table.js';

const GROUP = { stream: 's', groupId: 'g' };
const MINUTE = 60_000;

for (const driver of DRIVERS) {
  for (const commits of ['thread', 'loop'] as const) {
    describe(`the table of streams (${driver.name}, commits on the ${commits})`, () => {
      it('takes snapshots of what was told, never of what is only stored', async () => {
        const { table, set, events, close } = await open({ driver, commits });
        const work: Promise<unknown>[] = [];
        const snapshots: Awaited<ReturnType<StreamTable['snapshot']>>[] = [];
        for (let round = 0; round < 40; round += 1) {
          for (const id of ['a', 'b', `n${round}`]) work.push(set(id, round));
          work.push(set('a', undefined), table.snapshot(GROUP).then((snapshot) => snapshots.push(snapshot)));
          await new Promise((resolve) => void setImmediate(resolve));
        }
        await Promise.all(work);
        const { items: last } = await table.snapshot(GROUP);
        for (const { items, position } of snapshots) {
          const known = new Map(items.map(({ id, value }) => [id, value]));
          for (const { id = '', event } of events.filter(({ seq }) => seq > position.seq)) {
            if (event.type === 'delete') expect(known.delete(id), `delete of ${id}`).to.equal(true);
            else if (event.type !== 'event') known.set(id, event.data);
          }
          expect([...known]).to.deep.equal(last.map(({ id, value }) => [id, value]));
        }
        await close();
      });

      it('shows nobody an item before it was told', async () => {
        const { table, set, events, close } = await open({ driver, commits });
        const writing = set('a', 1);
        expect((await table.snapshot(GROUP)).items).to.have.length(events.length);
        expect(await table.get(GROUP, 'a')).to.deep.equal({ value: 1, revision: 1 });
        expect(events).to.have.length(1);
        await writing;
        await close();
      });
    });
  }
}

describe('the table of streams when a commit fails', () => {
  it('tells nothing, fails what was computed from it, and goes on with the next position', async () => {
    const { table, set, add, events, fail, close } = await open({ commits: 'loop' });
    await set('n', 10);
    fail('COMMIT', 'SQLITE_FULL');
    const failed = await Promise.allSettled([add('n'), add('n'), set('other', 1)]);
    expect(failed.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected', 'rejected']);
    fail();
    expect(await table.get(GROUP, 'n')).to.deep.equal({ value: 10, revision: 1 });
    await add('n');
    expect(events.map(({ seq, event }) => [seq, event.type === 'event' ? 0 : event.data])).to.deep.equal([[1, 10], [2, 11]]);
    await close();
  });

  it('refuses events that it could not number again after a crash, and tells stored ones later', async () => {
    const { table, send, set, events, fail, close } = await open({ commits: 'loop' });
    fail('COMMIT', 'SQLITE_FULL');
    expect((await errorOf(() => send(1))).message).to.contain('nothing was stored');
    expect(events).to.deep.equal([]);
    fail();
    await set('a', 1);
    await send(2);
    expect(events.map(({ seq }) => seq)).to.deep.equal([1, 2]);
    expect((await table.snapshot(GROUP)).position.seq).to.equal(2);
    await close();
  });
});

describe('positions of streams', () => {
  it('are the same after a clean stop and jump ahead after any other end', async () => {
    const file = join(freshFolder(), 'a.db');
    const first = await open({ commits: 'loop', file });
    for (let count = 0; count < 5; count += 1) await first.send(count);
    const { epoch } = (await first.table.snapshot(GROUP)).position;
    await first.close();
    const second = await open({ commits: 'loop', file });
    expect((await second.table.snapshot(GROUP)).position).to.deep.equal({ epoch, seq: 5 });
    await second.send(6);
    await second.closeUncleanly();
    const third = await open({ commits: 'loop', file });
    const { position } = await third.table.snapshot(GROUP);
    expect(position.epoch).to.equal(epoch);
    expect(position.seq).to.be.within(6, 5 + 2 * BLOCK);
    await third.close();
  });

  it('belong to another epoch in a backup: what came after it would be numbered again', async () => {
    for (const driver of DRIVERS) {
      const [file, copy] = [join(freshFolder(), 'a.db'), join(freshFolder(), 'copy.db')];
      const first = await open({ driver, commits: 'loop', file });
      await first.set('a', 1);
      const { epoch } = (await first.table.snapshot(GROUP)).position;
      await first.store.backup(copy);
      await first.close();
      const restored = await open({ driver, commits: 'loop', file: copy });
      const { items, position } = await restored.table.snapshot(GROUP);
      expect(items).to.deep.equal([{ id: 'a', value: 1, revision: 1 }]);
      expect(position.epoch, driver.name).to.not.equal(epoch);
      await restored.close();
      const original = await open({ driver, commits: 'loop', file });
      expect((await original.table.snapshot(GROUP)).position).to.deep.equal({ epoch, seq: 1 });
      await original.close();
    }
  });

  it('go on without a gap when the group was let go of in between', async () => {
    const { table, send, events, clock, close } = await open({ commits: 'loop' });
    await send(1);
    await clock.advance(11 * MINUTE);
    await table.sweep();
    await send(2);
    expect(events.map(({ seq }) => seq)).to.deep.equal([1, 2]);
    await close();
  });

  it('of groups without items are forgotten after a week, and never given again', async () => {
    const file = join(freshFolder(), 'a.db');
    const { table, store, send, set, clock, close } = await open({ commits: 'loop', file });
    for (let count = 0; count < 9; count += 1) await send(count);
    await set('kept', 1, { stream: 's', groupId: 'kept' });
    await clock.advance(11 * MINUTE);
    await table.sweep();
    const groups = (): unknown => store.reads.prepare('SELECT count(*) AS n FROM stream_groups').get()?.['n'];
    expect(groups()).to.equal(2);
    await clock.sleep(8 * 24 * 60 * MINUTE);
    await table.sweep();
    expect(groups()).to.equal(1);
    expect((await table.snapshot(GROUP)).position.seq).to.equal(9);
    await close();
  });
});

interface OpenOptions {
  readonly driver?: Driver;
  readonly commits: 'thread' | 'loop';
  readonly file?: string;
}

async function open({ driver = DRIVERS[0], commits, file = join(freshFolder(), 'a.db') }: OpenOptions) {
  const failing = failingDriver(driver);
  const { clock, turn, log } = surroundings();
  const store = await openStore({ file, durability: 'full', commits, driver: failing.driver, clock, turn, log });
  const table = await StreamTable.of(store, { clock, log, keepsEpoch: true });
  const events: StreamEvent[] = [];
  table.watch((event) => void events.push(event));
  return {
    store, table, events, clock,
    set: (id: string, value: number | undefined, group = GROUP) =>
      table.write({ ...group, id, next: () => (value === undefined ? { action: 'delete' } : { action: 'set', value }) }),
    add: (id: string) => table.write({ ...GROUP, id, next: (current) => ({ action: 'set', value: Number(current?.value ?? 0) + 1 }) }),
    send: (data: number) => table.send(GROUP, { id: undefined, event: { type: 'event', event: { type: 'e', data } }, timestamp: clock.now() }),
    fail: failing.fail,
    close: async () => {
      await table.close();
      await store.close();
    },
    closeUncleanly: () => store.close(),
  };
}

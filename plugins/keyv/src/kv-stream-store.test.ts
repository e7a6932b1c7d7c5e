import type { Logger, OperationError } from '@treadle/api';
import { expect } from 'chai';
import { fakeClock } from '@treadle/testing';
import type { Row } from './driver/kv-driver.js';
import { MemoryDriver } from './driver/memory-driver.js';
import { KvStreamStore } from './kv-stream-store.js';
import { groupKey } from './stream-rows.js';

const nothing = (): void => undefined;
const MINUTE = 60_000;
const GROUP = { stream: 'board', groupId: 'g' };
const EVENT = { type: 'moved', data: 1 };
const LOG: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => LOG };

/** Notes what it is asked for: how many rows are written at a time, and which ones are read. */
class Driver extends MemoryDriver {
  readonly puts: number[] = [];
  readonly gets: string[] = [];

  override put(rows: readonly Row[]): Promise<void> {
    this.puts.push(rows.length);
    return super.put(rows);
  }

  override get(key: string): Promise<unknown> {
    this.gets.push(key);
    return super.get(key);
  }
}

async function opened(driver = new Driver(), clock = fakeClock()): Promise<{ readonly driver: Driver; readonly clock: typeof clock; readonly store: KvStreamStore }> {
  return { driver, clock, store: await KvStreamStore.open(driver, { clock, log: LOG }) };
}

/** Group and position of each event. */
function sequence(store: KvStreamStore): string[] {
  const seqs: string[] = [];
  store.watch(({ groupId, seq }) => void seqs.push(`${groupId} ${seq}`));
  return seqs;
}

describe('KvStreamStore', () => {
  it('keeps nothing of groups that were only looked at: clients may join any', async () => {
    const driver = new MemoryDriver();
    const store = await KvStreamStore.open(driver, { clock: fakeClock(), log: LOG });
    await store.write({ stream: 'board', groupId: 'written', id: 'a', next: () => ({ action: 'set', value: 1 }) });
    await store.write({ stream: 'board', groupId: 'kept', id: 'a', next: () => ({ action: 'keep' }) });
    await store.snapshot({ stream: 'board', groupId: 'joined' });
    expect((await store.snapshot({ stream: 'board', groupId: 'written' })).position.seq).to.equal(1);
    await store.close();
    const known = await driver.range({ from: 'tg', to: 'tg~', limit: 10 });
    expect(known).to.deep.equal([[groupKey({ stream: 'board', groupId: 'written' }), { q: 1, f: 0, u: fakeClock().now() }]]);
  });

  it('stores where its groups are in few commits, however many there are', async () => {
    const { driver, store } = await opened();
    for (let count = 0; count < 1_000; count += 1) await store.send({ stream: 'board', groupId: `g${count}` }, EVENT);
    driver.puts.length = 0;
    await store.close();
    expect(driver.puts.length).to.be.at.most(8);
    expect(Math.max(...driver.puts)).to.be.at.most(300);
    expect(await driver.range({ from: 'tg', to: 'tg~', limit: 2_000 })).to.have.length(1_000);
  });

  it('reads groups anew that nobody used for ten minutes, and goes on exactly there', async () => {
    const { driver, store, clock } = await opened();
    const seqs = sequence(store);
    for (let count = 0; count < 1_000; count += 1) await store.send({ stream: 'board', groupId: `g${count}` }, EVENT);
    await clock.advance(11 * MINUTE);
    await store.send(GROUP, EVENT);
    await store.sweep();
    driver.gets.length = 0;
    for (const groupId of ['g', 'g7', 'g8', 'g7']) await store.send({ stream: 'board', groupId }, EVENT);
    expect(driver.gets).to.deep.equal(['g7', 'g8'].map((groupId) => groupKey({ stream: 'board', groupId })));
    expect(seqs.slice(-4)).to.deep.equal(['g 2', 'g7 2', 'g8 2', 'g7 3']);
    expect((await store.snapshot({ stream: 'board', groupId: 'g9' })).position.seq).to.equal(1);
  });

  it('gives no position twice to a group that is used while it is let go', async () => {
    const { driver, store, clock } = await opened();
    const seqs = sequence(store);
    await store.send(GROUP, EVENT);
    await clock.advance(11 * MINUTE);
    const put = driver.put.bind(driver);
    let meanwhile: Promise<unknown> | undefined;
    driver.put = async (rows) => {
      meanwhile ??= Promise.all([store.send(GROUP, EVENT), store.send(GROUP, EVENT)]);
      await new Promise((resolve) => setImmediate(resolve));
      await put(rows);
    };
    await store.sweep();
    await meanwhile;
    await store.send(GROUP, EVENT);
    expect(seqs).to.deep.equal(['g 1', 'g 2', 'g 3', 'g 4']);
  });

  it('forgets groups without items after a day, and gives none of their positions and revisions again', async () => {
    const { driver, store, clock } = await opened();
    await store.write({ ...GROUP, id: 'a', next: () => ({ action: 'set', value: 1 }) });
    await store.write({ ...GROUP, id: 'a', next: () => ({ action: 'set', value: 2 }) });
    await store.write({ ...GROUP, id: 'a', next: () => ({ action: 'delete' }) });
    for (let count = 0; count < 9; count += 1) await store.send({ stream: 'board', groupId: 'sent' }, EVENT);
    await store.write({ stream: 'board', groupId: 'kept', id: 'a', next: () => ({ action: 'set', value: 1 }) });
    await clock.advance(11 * MINUTE);
    await store.sweep();
    const known = async (): Promise<number> => (await driver.range({ from: 'tg', to: 'tg~', limit: 10 })).length;
    expect(await known()).to.equal(3);
    await clock.advance(24 * 60 * MINUTE);
    await store.sweep();
    expect(await known()).to.equal(1);
    await store.close();
    const again = (await opened(driver, clock)).store;
    expect((await again.snapshot({ stream: 'board', groupId: 'sent' })).position.seq).to.equal(9);
    const { after } = await again.write({ ...GROUP, id: 'b', next: () => ({ action: 'set', value: 1 }) });
    expect(after?.revision).to.equal(10);
    await again.close();
  });

  it('gives no position twice to a group that is used while it is forgotten', async () => {
    const { driver, store, clock } = await opened();
    await driver.put([[groupKey(GROUP), { q: 9, f: 4 }]]);
    const seqs = sequence(store);
    const remove = driver.remove.bind(driver);
    let meanwhile: Promise<unknown> | undefined;
    driver.remove = async (keys) => {
      meanwhile ??= store.send(GROUP, EVENT);
      await new Promise((resolve) => setImmediate(resolve));
      await remove(keys);
    };
    await clock.advance(24 * 60 * MINUTE);
    await store.sweep();
    await meanwhile;
    await store.close();
    expect(seqs).to.deep.equal(['g 10']);
    expect(await driver.get(groupKey(GROUP))).to.include({ q: 10, f: 9 });
  });

  it('looks at some thousand groups in a sweep, and at the others in the next ones', async () => {
    const { driver, store, clock } = await opened();
    for (let count = 0; count < 6_000; count += 1) await driver.put([[groupKey({ stream: 'board', groupId: `g${count}` }), { q: 1, f: 0 }]]);
    const known = async (): Promise<number> => (await driver.range({ from: 'tg', to: 'tg~', limit: 10_000 })).length;
    await clock.advance(24 * 60 * MINUTE);
    await store.sweep();
    expect(await known()).to.equal(1_000);
    await store.sweep();
    expect(await known()).to.equal(0);
    await store.close();
  });

  it('refuses a cursor that no page gave in its own name', async () => {
    const store = await KvStreamStore.open(new MemoryDriver(), { clock: fakeClock(), log: LOG });
    const refusal = await store.listGroups('board', { limit: 10, cursor: 'not hex' }).catch((error: OperationError) => `${error.code}: ${error.message}`);
    expect(refusal).to.equal('StreamInvalidArgument: cursor must be one that a former page gave');
    await store.close();
  });
});

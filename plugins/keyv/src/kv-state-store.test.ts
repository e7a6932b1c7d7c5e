import { expect } from 'chai';
import { fakeClock } from '@treadle/testing';
import type { Row } from './driver/kv-driver.js';
import { MemoryDriver } from './driver/memory-driver.js';
import { KvStateStore } from './kv-state-store.js';
import { TOMBSTONE_MS } from './state-rows.js';

/** Fails the next writes that a test asks it to. */
class Driver extends MemoryDriver {
  fails = 0;
  readonly puts: (readonly Row[])[] = [];

  override put(rows: readonly Row[]): Promise<void> {
    if (this.fails > 0) {
      this.fails -= 1;
      return Promise.reject(new Error('SQLITE_FULL'));
    }
    this.puts.push(rows);
    return super.put(rows);
  }

  override remove(keys: readonly string[]): Promise<void> {
    return this.fails > 0 ? Promise.reject(new Error('SQLITE_FULL')) : super.remove(keys);
  }

  async rows(): Promise<readonly string[]> {
    return (await this.range({ from: '', to: '~', limit: 1000 })).map(([key]) => key);
  }
}

describe('KvStateStore', () => {
  const made = async (): Promise<{ driver: Driver; clock: ReturnType<typeof fakeClock>; store: KvStateStore }> => {
    const [driver, clock] = [new Driver(), fakeClock()];
    return { driver, clock, store: await KvStateStore.open(driver, clock) };
  };
  const set = (store: KvStateStore, key: string, expiresAt?: number, recordChange = false): ReturnType<KvStateStore['write']> =>
    store.write({ group: 'g', key, next: () => ({ action: 'set', value: 1, expiresAt }), recordChange });
  const remove = (store: KvStateStore, key: string): ReturnType<KvStateStore['write']> =>
    store.write({ group: 'g', key, next: () => ({ action: 'delete' }), recordChange: false });

  it('clears keys in their order, however quickly each of them is read', async () => {
    const { driver, store } = await made();
    for (const key of ['a', 'b', 'c']) await set(store, key);
    const turns = [3, 2, 1];
    const get = driver.get.bind(driver);
    driver.get = async (key) => {
      for (let turn = turns.shift() ?? 0; turn > 0; turn--) await new Promise((resolve) => setImmediate(resolve));
      return get(key);
    };
    await store.clear('g', { wants: () => true, origin: undefined });
    expect((await store.pendingChanges(10)).map(({ key }) => key)).to.deep.equal(['a', 'b', 'c']);
  });

  it('writes change and value together, the change first', async () => {
    const { driver, store } = await made();
    await set(store, 'k', undefined, true);
    expect(driver.puts).to.have.length(1);
    expect(driver.puts[0]?.map(([key]) => key.slice(0, 2))).to.deep.equal(['sc', 'sv']);
  });

  it('fails no write that was stored because its row of the list of times could not be removed', async () => {
    const { driver, clock, store } = await made();
    await set(store, 'k', clock.now() + 1000);
    const { put } = driver;
    driver.put = async (rows) => {
      await put.call(driver, rows);
      driver.fails = 1;
    };
    expect((await set(store, 'k')).after).to.deep.equal({ value: 1, revision: 2 });
    Object.assign(driver, { put, fails: 0 });
    await clock.advance(1000);
    await store.sweep();
    expect(await driver.rows()).to.deep.equal(['sv67.6b']);
  });

  it('forgets what was deleted or has expired, so that nothing gathers, and never gives its revisions again', async () => {
    const { driver, clock, store } = await made();
    for (let count = 0; count < 5; count++) await set(store, 'deleted');
    await remove(store, 'deleted');
    await set(store, 'expired', clock.now() + 1000);
    await set(store, 'stays');
    await clock.advance(1000);
    await store.sweep();
    expect(await driver.rows(), 'the revision of the deleted key is still known').to.have.length(4);
    await clock.advance(TOMBSTONE_MS);
    await store.sweep();
    expect(await driver.rows()).to.deep.equal(['sf', 'sv67.7374617973']);
    expect((await set(store, 'deleted')).after?.revision).to.equal(7);
    const reopened = await KvStateStore.open(driver, clock);
    expect((await set(reopened, 'expired')).after?.revision).to.equal(7);
    expect((await set(reopened, 'stays')).after?.revision).to.equal(2);
  });

  it('keeps one row of the time for each value, however often it is renewed', async () => {
    const { driver, clock, store } = await made();
    for (let count = 1; count <= 20; count++) await set(store, 'session', clock.now() + count * 1000);
    expect((await driver.rows()).filter((key) => key.startsWith('sd'))).to.have.length(1);
    await set(store, 'session');
    expect(await driver.rows()).to.have.length(1);
    await clock.advance(60_000);
    await store.sweep();
    expect((await store.get('g', 'session'))?.revision).to.equal(21);
  });

  it('does not remove a value that was renewed while the sweep was on its way', async () => {
    const { clock, store } = await made();
    await set(store, 'k', clock.now() + 1000);
    await clock.advance(1000);
    await Promise.all([set(store, 'k', clock.now() + 1000), store.sweep()]);
    expect((await store.get('g', 'k'))?.revision).to.equal(2);
  });

  it('passes a failure on, changes nothing, and goes on with the next write', async () => {
    const { driver, store } = await made();
    await set(store, 'k');
    driver.fails = 1;
    const [failed, next] = await Promise.allSettled([set(store, 'k'), set(store, 'k')]);
    expect([failed.status, next.status]).to.deep.equal(['rejected', 'fulfilled']);
    expect((await store.get('g', 'k'))?.revision).to.equal(2);
  });

  it('sorts the ids of changes behind those of a former run when the clock was set back', async () => {
    const { driver, clock, store } = await made();
    await set(store, 'a', undefined, true);
    const before = fakeClock(clock.now() - 3_600_000);
    const reopened = await KvStateStore.open(driver, before);
    await set(reopened, 'b', undefined, true);
    expect((await reopened.pendingChanges(9)).map(({ key }) => key)).to.deep.equal(['a', 'b']);
  });

  it('refuses a cursor that it did not give', async () => {
    const { store } = await made();
    for (const cursor of ['x', '6', '61 ', '../..', '61g']) {
      for (const list of [store.list('g', { limit: 1, cursor }), store.listGroups({ limit: 1, cursor })]) {
        expect(await (list as Promise<unknown>).catch((error: Error) => error.message)).to.equal('cursor must be one that a former page gave');
      }
    }
  });

  it('waits for writes that are under way when it is closed', async () => {
    const { driver, store } = await made();
    const writes = Promise.all([set(store, 'a'), set(store, 'a'), set(store, 'b')]);
    await store.close();
    expect(driver.puts).to.have.length(3);
    await writes;
  });
});

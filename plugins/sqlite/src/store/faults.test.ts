import { join } from 'node:path';
import type { FakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { type FailingDriver, failingDriver } from '../testing/failing-driver.fixture.js';
import { DRIVERS, errorOf, freshFolder, keptUser, surroundings } from '../testing/store.fixture.js';
import { openStore } from './open-store.js';
import type { SqliteStore } from './sqlite-store.js';
import type { Settled } from './write-queue.js';

const put = (key: string) => ({ operation: 'state.put', rows: [['g', key, '1', 1, null]] });
const remove = (key: string) => ({ operation: 'state.delete', rows: [['g', key, null, 2, 9]] });
const keys = (store: SqliteStore) => store.reads.prepare('SELECT key FROM state_entries WHERE value IS NOT NULL').all().map((row) => row['key']);

describe('a store whose disk fails', () => {
  it('fails the group when the disk is full, goes on reading, and goes on writing once there is room', async () => {
    const { store, user, fail } = await faulty();
    await store.apply(put('before'));
    fail('COMMIT', 'SQLITE_FULL');
    const [one, two] = await Promise.allSettled([store.apply(put('a')), store.apply(put('b'))]);
    expect([one, two].map((result) => (result as PromiseRejectedResult).reason.code)).to.deep.equal(['StorageFull', 'StorageFull']);
    expect(keys(store)).to.deep.equal(['before']);
    expect(user.told).to.deep.equal([`degraded: no room to write to "${store.file}"`]);
    fail(undefined);
    await store.apply(put('c'));
    expect(keys(store)).to.deep.equal(['before', 'c']);
    expect(user.told.at(-1)).to.equal('ok');
    expect(user.fatals).to.deep.equal([]);
    await store.close();
  });

  it('says of a write that builds on one without room that there was no room', async () => {
    const { store, failOnce } = await faulty();
    failOnce('COMMIT', 'SQLITE_FULL');
    const codes: string[] = [];
    const settled = (outcome: Settled): void => void codes.push(outcome.ok ? 'stored' : outcome.error.code);
    const base = store.write(put('a'), settled);
    const middle = store.write(put('b'), settled, base);
    store.write(remove('a'), settled, middle);
    await errorOf(() => store.apply(put('c')));
    expect(codes).to.deep.equal(['StorageFull', 'StorageFull', 'StorageFull']);
    await store.close();
  });

  it('still does what frees space when the rest of its group finds no room', async () => {
    const { store, failOnce } = await faulty();
    await store.apply(put('old'));
    failOnce('COMMIT', 'SQLITE_FULL');
    const [added, removed] = await Promise.allSettled([store.apply(put('new')), store.apply(remove('old'))]);
    expect([added.status, removed.status]).to.deep.equal(['rejected', 'fulfilled']);
    expect(keys(store)).to.deep.equal([]);
    await store.close();
  });

  it('acknowledges nothing more after an I/O error, ends the engine with 74 and does not claim to know what is stored', async () => {
    const { store, user, fail } = await faulty();
    fail('COMMIT', 'SQLITE_IOERR_FSYNC');
    const error = await errorOf(() => store.apply(put('a')));
    expect(error).to.include({ code: 'StorageFailed', message: 'it is not known whether this was stored: SQLITE_IOERR_FSYNC: made to fail' });
    fail(undefined);
    expect((await errorOf(() => store.apply(put('b')))).code).to.equal('StorageFailed');
    expect(user.fatals.map(({ code, exitCode }) => [code, exitCode])).to.deep.equal([['STORE_FAILED', 74]]);
    await store.close();
  });

  it('ends the engine when the log cannot be moved into the file; what was committed before stays acknowledged', async () => {
    const { store, user, fail } = await faulty();
    fail('PRAGMA wal_checkpoint(PASSIVE)', 'SQLITE_IOERR_FSYNC');
    const value = JSON.stringify('v'.repeat(100_000));
    let acknowledged = 0;
    let refused: string | undefined;
    for (let index = 0; index < 1_000 && !refused; index += 1) {
      await store.apply({ operation: 'state.put', rows: [['g', `k${index}`, value, 1, null]] })
        .then(() => (acknowledged += 1), (error: { code: string }) => void (refused = error.code));
    }
    expect(refused).to.equal('StorageFailed');
    expect(keys(store)).to.have.length(acknowledged);
    expect(user.fatals.map(({ code }) => code)).to.deep.equal(['STORE_FAILED']);
    await store.close();
  });

  it('ends the engine when the disk fails while the store is idle', async () => {
    const { store, user, clock, fail } = await faulty();
    await store.apply(put('a'));
    fail('PRAGMA wal_checkpoint(PASSIVE)', 'SQLITE_IOERR_FSYNC');
    await clock.advance(20_000);
    expect(user.fatals.map(({ exitCode }) => exitCode)).to.deep.equal([74]);
    await store.close();
  });

  it('waits while another program writes, and says so', async () => {
    const { store, user, clock } = await faulty();
    const [driver] = DRIVERS;
    const other = driver?.open(store.file);
    other?.exec('BEGIN IMMEDIATE');
    const written = store.apply(put('a'));
    await new Promise((resolve) => void setImmediate(resolve));
    expect(user.told).to.deep.equal([`degraded: another program writes to "${store.file}"`]);
    other?.exec('COMMIT');
    other?.close();
    await clock.advance(100);
    await written;
    expect([keys(store), user.told.at(-1)]).to.deep.equal([['a'], 'ok']);
    await store.close();
  });

  it('fails what waits and ends the engine when the writer thread ends by itself', async () => {
    const { store, user } = await faulty('thread');
    const written = store.apply(put('a'));
    await written;
    const { committer } = (store as unknown as { parts: { committer: { thread: { terminate(): Promise<number> } } } }).parts;
    const waiting = errorOf(() => store.apply(put('b')));
    await committer.thread.terminate();
    expect((await waiting).code).to.equal('StorageFailed');
    expect(user.fatals.map(({ code }) => code)).to.deep.equal(['STORE_FAILED']);
    expect((await errorOf(() => store.apply(put('c')))).code).to.equal('StorageFailed');
    await store.close();
  });

  it('fails what waits for the next group when the write that it was computed from fails in this one', async () => {
    const { store } = await faulty('thread');
    const order: string[] = [];
    const base = store.write({ operation: 'state.none', rows: [] }, (outcome) => void order.push(`base ${String(outcome.ok)}`));
    // The group was scheduled first, so it has just been sent and no answer can have come.
    await new Promise((resolve) => void setImmediate(resolve));
    expect(base.state).to.equal('committing');
    const middle = store.write(put('b'), (outcome) => void order.push(`middle ${String(outcome.ok)}`), base);
    store.write(put('c'), (outcome) => void order.push(`last ${String(outcome.ok)}`), middle);
    await store.apply(put('d'));
    expect(order).to.deep.equal(['base false', 'middle false', 'last false']);
    expect(keys(store)).to.deep.equal(['d']);
    await store.close();
  });
});

interface Faulty extends Omit<FailingDriver, 'driver'> {
  readonly store: SqliteStore;
  readonly user: ReturnType<typeof keptUser>;
  readonly clock: FakeClock;
}

/** A store on a driver that fails a statement on demand. */
async function faulty(commits: 'loop' | 'thread' = 'loop'): Promise<Faulty> {
  const { driver, fail, failOnce } = failingDriver(DRIVERS[0]);
  const { clock, turn, log } = surroundings();
  const store = await openStore({ file: join(freshFolder(), 'a.db'), durability: 'full', commits, driver, clock, turn, log, loopLimitMs: Infinity });
  const user = keptUser();
  store.join(user, 'full');
  return { store, user, clock, fail, failOnce };
}

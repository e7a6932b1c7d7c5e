import type { Logger } from '@treadle/api';
import { eventually, type FakeClock, fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { NatsStore } from '../store/nats-store.js';
import type { NatsConfig } from '../store/store.config.js';
import { streamInfo } from '../testing/jet-stream.fixture.js';
import { freshConfig, withServer } from '../testing/kit.fixture.js';
import { StateStore } from './state-store.js';

const HOUR = 3_600_000;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined } as unknown as Logger;

withServer.describe('what becomes of messages of state', () => {
  /** A store whose time is that of a clock: it is measured once, and the clock goes on from there. */
  async function withState(body: (state: StateStore, clock: FakeClock, config: NatsConfig) => Promise<void>): Promise<void> {
    const { config, cleanup } = await freshConfig();
    const clock = fakeClock(Date.now());
    const store = await NatsStore.open({ config, clock, log: silent, engine: 'e1' });
    const state = await StateStore.open(store);
    store.time.note = () => undefined;
    try {
      await body(state, clock, config);
    } finally {
      await state.close();
      await store.close();
      await cleanup();
    }
  }
  const set = (state: StateStore, key: string, expiresAt?: number, recordChange = false): ReturnType<StateStore['write']> => (
    state.write({ group: 'g', key, recordChange, next: () => ({ action: 'set', value: key, expiresAt }) }));
  const messages = async (config: NatsConfig): Promise<number> => (await streamInfo(config, 'state')).state.messages;

  withServer.it('keeps one message of a key that is written often', () => withState(async (state, _clock, config) => {
    for (let count = 0; count < 20; count += 1) await set(state, 'a');
    await eventually('one message', () => messages(config), (found) => found === 1);
  }));

  withServer.it('forgets in two rounds what has expired or was deleted, its revision excepted', () => withState(async (state, clock, config) => {
    await set(state, 'expires', clock.now() + 1_000);
    await set(state, 'stays');
    await set(state, 'deleted');
    await state.write({ group: 'g', key: 'deleted', recordChange: false, next: () => ({ action: 'delete' }) });
    for (const left of [3, 1]) {
      await clock.sleep(HOUR);
      await state.sweep();
      await eventually(`${left} messages`, () => messages(config), (found) => found === left);
    }
    expect((await state.reader.get('g', 'stays'))?.revision).to.equal(1);
    expect(Object.keys((await streamInfo(config, 'records', 'treadle.*.m.due.>')).state.subjects ?? {}), 'notes').to.deep.equal([]);
    // Another engine knows nothing of these keys.
    expect((await set(state, 'deleted')).after?.revision).to.be.above(2);
  }));

  withServer.it('keeps what a change needs until it is settled', () => withState(async (state, clock, config) => {
    await set(state, 'a');
    await set(state, 'a', undefined, true);
    await state.write({ group: 'g', key: 'a', recordChange: true, next: () => ({ action: 'delete' }) });
    for (let round = 0; round < 3; round += 1) {
      await clock.sleep(HOUR);
      await state.sweep();
    }
    const changes = await state.changes.pending(10);
    expect(changes.map(({ oldValue, newValue }) => [oldValue, newValue])).to.deep.equal([['a', 'a'], ['a', undefined]]);
    await state.changes.settle(changes.slice(0, 1).map(({ id }) => id));
    expect((await state.changes.pending(10)).map(({ oldValue }) => oldValue)).to.deep.equal(['a']);
    await state.changes.settle(changes.map(({ id }) => id));
    await eventually('the deletion alone', () => messages(config), (found) => found === 1);
    for (let round = 0; round < 2; round += 1) {
      await clock.sleep(HOUR);
      await state.sweep();
    }
    expect(await messages(config)).to.equal(0);
  }));
});

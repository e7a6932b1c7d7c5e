import type { Logger, NewMessage, QueueAdapter } from '@treadle/api';
import { eventually, fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { freshConfig, startEngine, withServer } from '../testing/kit.fixture.js';
import { ask } from '../testing/server.fixture.js';
import { sharedServer } from '../testing/shared-server.fixture.js';
import { RedisStore } from './redis-store.js';

const KEY = { step: 'a', topic: 't' };
/** As the store has the subscription. */
const KEY_TEXT = '["a","t"]';
const LEASE_MS = 60_000;
const MESSAGE: NewMessage = { id: 'm1', topic: 't', kind: 'queue', data: '{}', traceparent: '', hops: 0, enqueuedAt: Date.now() };

withServer.describe('an engine that was taken for dead', () => {
  withServer.it('joins again under another number, votes again, and has lost what it had claimed', async () => {
    const { config, cleanup } = await freshConfig();
    const server = await sharedServer();
    const { adapter: queue, stop } = await startEngine<QueueAdapter>('queue', config);
    const base = `{${config.prefix}}:`;
    const members = async (): Promise<string[]> => await ask(server, 'HKEYS', `${base}members`) as string[];
    await queue.changeSubscriptions([{ action: 'put', subscription: { ...KEY, application: 'x', fifo: false, delayMs: 0, settings: '' } }]);
    await queue.enqueueMany([[MESSAGE]], { maxWaiting: 10 });
    const [lost] = await queue.claimMany([{ ...KEY, max: 1 }], LEASE_MS);
    const [before = ''] = await members();
    await ask(server, 'HDEL', `${base}members`, before);
    await ask(server, 'SADD', `${base}q:void`, before);
    expect(await queue.settleMany([{ action: 'done', claim: lost! }])).to.deep.equal([false]);
    const [after = ''] = await eventually('another membership', members, ({ length }) => length === 1, 60_000);
    expect(Number(after)).to.be.above(Number(before));
    const votes = `${base}q:${String(await ask(server, 'HGET', `${base}q:ids`, KEY_TEXT))}:votes`;
    await eventually('its vote', async () => await ask(server, 'SMEMBERS', votes) as string[], (voters) => voters.includes(after), 60_000);
    const [again] = await eventually('the delivery', () => queue.claimMany([{ ...KEY, max: 1 }], LEASE_MS), ({ length }) => length === 1, 60_000);
    expect(again?.epoch).to.not.equal(lost?.epoch);
    expect(await queue.settleMany([{ action: 'done', claim: lost! }, { action: 'done', claim: again! }])).to.deep.equal([false, true]);
    await stop();
    expect(await members()).to.deep.equal([]);
    await cleanup();
  });

  withServer.it('votes again as soon as it can, when it could not at first', async () => {
    const { config, cleanup } = await freshConfig();
    const server = await sharedServer();
    const { adapter: queue, stop } = await startEngine<QueueAdapter>('queue', config);
    const base = `{${config.prefix}}:`;
    const members = async (): Promise<string[]> => await ask(server, 'HKEYS', `${base}members`) as string[];
    await queue.changeSubscriptions([{ action: 'put', subscription: { ...KEY, application: 'x', fifo: false, delayMs: 0, settings: '' } }]);
    const [before = ''] = await members();
    const votes = `${base}q:${String(await ask(server, 'HGET', `${base}q:ids`, KEY_TEXT))}:votes`;
    // Scripts that vote find something else.
    await ask(server, 'RENAME', votes, `${base}aside`);
    await ask(server, 'SET', votes, 'as planned');
    await ask(server, 'HDEL', `${base}members`, before);
    const beaten = async (): Promise<string[]> => await ask(server, 'HGETALL', `${base}members`) as string[];
    const [after = ''] = await eventually('another membership, and a beat', beaten, ([, beats = '0 ']) => !beats.startsWith('0 '), 60_000);
    await ask(server, 'RENAME', `${base}aside`, votes);
    await eventually('its vote', async () => await ask(server, 'SMEMBERS', votes) as string[], (voters) => voters.includes(after), 60_000);
    await stop();
    await cleanup();
  });

  withServer.it('is not taken for dead while something else that it does at each beat takes long', async () => {
    const { config, cleanup } = await freshConfig();
    const server = await sharedServer();
    const store = await RedisStore.open({ config, clock: fakeClock(), log: {} as Logger });
    let end = (): void => undefined;
    store.listen({ beat: () => new Promise((resolve) => { end = resolve; }) });
    const beats = async (): Promise<number> => Number(String(await ask(server, 'HGET', `{${config.prefix}}:members`, String(store.members.member))).split(' ')[0]);
    const before = await beats();
    await eventually('signs of life', beats, (now) => now >= before + 3, 60_000);
    end();
    await store.close();
    await cleanup();
  });
});

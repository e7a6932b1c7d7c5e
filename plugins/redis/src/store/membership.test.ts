import type { NewMessage, QueueAdapter } from '@treadle/api';
import { eventually } from '@treadle/testing';
import { expect } from 'chai';
import { freshConfig, startEngine, withServer } from '../testing/kit.fixture.js';
import { ask } from '../testing/server.fixture.js';
import { sharedServer } from '../testing/shared-server.fixture.js';

const KEY = { step: 'a', topic: 't' };
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
    await eventually('its vote', async () => await ask(server, 'SMEMBERS', `${base}q:1:votes`) as string[], (votes) => votes.includes(after), 60_000);
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
    // Scripts that vote find something else.
    await ask(server, 'RENAME', `${base}q:1:votes`, `${base}aside`);
    await ask(server, 'SET', `${base}q:1:votes`, 'as planned');
    await ask(server, 'HDEL', `${base}members`, before);
    const beaten = async (): Promise<string[]> => await ask(server, 'HGETALL', `${base}members`) as string[];
    const [after = ''] = await eventually('another membership, and a beat', beaten, ([, beats = '0 ']) => !beats.startsWith('0 '), 60_000);
    await ask(server, 'RENAME', `${base}aside`, `${base}q:1:votes`);
    await eventually('its vote', async () => await ask(server, 'SMEMBERS', `${base}q:1:votes`) as string[], (votes) => votes.includes(after), 60_000);
    await stop();
    await cleanup();
  });
});

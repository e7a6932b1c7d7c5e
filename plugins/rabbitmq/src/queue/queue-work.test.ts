import { EventEmitter } from 'node:events';
import type { QueueAdapter, StoredSubscription, SubscriptionChange } from '@treadle/api';
import { errorOf, fakeClock } from '@treadle/testing';
import type { ChannelModel } from 'amqplib';
import { expect } from 'chai';
import { QueueWork } from './queue-work.js';
import { noteOf } from './retired-lanes.js';

const KEY = { step: 'a', topic: 't' };

/** A second store that has the note of one subscription, which has ended, or is there again until it is retired. Its changes wait for `open`. */
function storeWith(living: boolean, open: Promise<void>): { readonly store: QueueAdapter; readonly changes: readonly SubscriptionChange[] } {
  const changes: SubscriptionChange[] = [];
  const note: StoredSubscription = { ...noteOf(KEY), paused: false };
  const store: Partial<QueueAdapter> = {
    subscriptions: () => Promise.resolve(living && changes.length === 0 ? [{ ...note, ...KEY }, note] : [note]),
    changeSubscriptions: async (more) => {
      await open;
      changes.push(...more);
    },
  };
  return { store: store as QueueAdapter, changes };
}

/** On a server that answers so when it is asked for the queue. */
function workWith(answer: Error, living = false, open = Promise.resolve()): { readonly work: QueueWork; readonly changes: readonly SubscriptionChange[] } {
  const { store, changes } = storeWith(living, open);
  const channel = Object.assign(new EventEmitter(), { checkQueue: () => Promise.reject(answer) });
  const connection = { createChannel: () => Promise.resolve(channel) } as unknown as ChannelModel;
  const work = new QueueWork(store, fakeClock(), {
    exchange: 'x', arguments: {}, prefetch: 1, ask: (question) => question(connection), reach: () => Promise.resolve(), keepForeign: () => Promise.resolve(),
  });
  return { work, changes };
}

describe('the note of a subscription that has ended', () => {
  it('goes when the server says that there is no queue', async () => {
    const { work, changes } = workWith(Object.assign(new Error('NOT_FOUND'), { code: 404 }));
    await work.reload();
    await work.drainUncarried();
    expect(changes.map(({ action }) => action)).to.deep.equal(['retire']);
    expect(work.noted).to.deep.equal([]);
  });

  it('stays when the connection ends before the server has said so', async () => {
    const { work, changes } = workWith(new Error('Channel ended, no reply will be forthcoming'));
    await work.reload();
    expect(await errorOf(work.drainUncarried())).to.have.property('message', 'Channel ended, no reply will be forthcoming');
    expect([changes, work.noted]).to.deep.equal([[], [KEY]]);
  });

  it('stays when the subscription ends again while it is found to be needless', async () => {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => { open = resolve; });
    const { work, changes } = workWith(new Error('never asked'), true, opened);
    await work.reload();
    const changed = work.change([{ action: 'retire', key: KEY, afterMs: 0 }]);
    const drained = work.drainUncarried();
    open();
    await Promise.all([changed, drained]);
    expect(changes.map((change) => [change.action, change.action === 'put' ? change.subscription.step : 'key' in change && change.key.step]))
      .to.deep.equal([['put', noteOf(KEY).step], ['retire', KEY.step]]);
    expect(work.noted).to.deep.equal([KEY]);
  });

  it('stays when the connection has ended since', async () => {
    const { work } = workWith(Object.assign(new Error('NOT_FOUND'), { code: 404 }));
    const lane = work.lane(KEY);
    await lane.drain();
    lane.lost();
    expect(await lane.leave()).to.equal(false);
  });
});

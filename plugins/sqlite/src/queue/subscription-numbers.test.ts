import type { NewMessage, StoredSubscription, SubscriptionChange } from '@treadle/api';
import { expect } from 'chai';
import { errorOf } from '../testing/store.fixture.js';
import type { Lane } from './lane.js';
import { LIMITS, message, put, queueTables, request } from './queue-table.fixture.js';
import { MOST_SUBSCRIPTIONS } from './queue-schema.js';

const subscribe = (step: string, topic = 't'): SubscriptionChange => (
  { action: 'put', subscription: { step, topic, application: 'x', fifo: false, delayMs: 0, settings: '' } });
const to = (topic: string, id = `for-${topic}`): NewMessage => ({ ...message(id), topic });
const progress = { attempts: 1, deaths: 0, history: '' };

describe('Numbers of subscriptions', () => {
  const table = queueTables();

  /** A store in which the last number is given to Step `a`, as after very many changes. */
  async function nearTheEnd() {
    const { queue, file, close } = await table();
    queue['work'].lanes['lastNumber'] = MOST_SUBSCRIPTIONS - 2;
    await queue.changeSubscriptions([put(false)]);
    await queue.enqueueMany([[message('old')]], LIMITS);
    await close();
    return table({ file });
  }

  /** As if all other numbers were taken by subscriptions in use. */
  function takeAllNumbers({ queue }: Awaited<ReturnType<typeof table>>): void {
    const lanes = queue['work'].lanes['byNumber'] as Map<number, Lane>;
    const [lane] = lanes.values();
    for (let number = 1; number < MOST_SUBSCRIPTIONS; number += 1) if (!lanes.has(number)) lanes.set(number, lane as Lane);
  }

  it('are given again when their subscriptions are gone', async () => {
    const { queue } = await nearTheEnd();
    for (let round = 0; round < 3; round += 1) {
      await queue.changeSubscriptions([subscribe('b'), subscribe('c', 'u')]);
      await queue.enqueueMany([[to('t', `t${round}`), to('u', `u${round}`), to(`nobody${round}`)]], LIMITS);
      expect(queue.claimMany([{ step: 'c', topic: 'u', max: 10 }]).map(({ messageId }) => messageId)).to.deep.equal([`u${round}`]);
      const retire = (step: string, topic = 't'): SubscriptionChange => ({ action: 'retire', key: { step, topic }, afterMs: 0 });
      await queue.changeSubscriptions([retire('b')]);
      await queue.purge({ step: '', topic: `nobody${round}` });
      await queue.settleMany([]);
    }
    expect(queue.claimMany(request()).map(({ messageId }) => messageId)).to.deep.equal(['old', 't0', 't1', 't2']);
    const steps = (list: readonly StoredSubscription[]): string[] => list.map(({ step }) => step);
    expect(steps(queue.subscriptions())).to.deep.equal(['a', 'c']);
  });

  it('are not those of deliveries that are still there', async () => {
    const { queue, store } = await nearTheEnd();
    await store.apply({ operation: 'queue.enqueue', rows: [[1, 7, 'stray', '1', 'tp', 1]] });
    await queue.changeSubscriptions([subscribe('b', 'u')]);
    expect(queue.claimMany([{ step: 'b', topic: 'u', max: 10 }])).to.deep.equal([]);
    expect(queue.statistics().find(({ step }) => step === 'b')).to.include({ waiting: 0 });
  });

  it('that are used up refuse what needs one, say what to do, and leave everything else as it was', async () => {
    const opened = await nearTheEnd();
    const { queue, lane } = opened;
    const [claim] = queue.claimMany(request());
    takeAllNumbers(opened);
    const refused = await errorOf(() => queue.enqueueMany([[to('t', 'one')], [to('new')]], LIMITS));
    expect(refused).to.include({ code: 'StorageRefused' });
    expect(refused.message).to.match(/524,?287 subscriptions.*(remove|retire)/);
    expect(lane().coming).to.equal(0);
    const commit = (enqueue: readonly NewMessage[]) => ({ settle: { action: 'done', claim: claim! }, enqueue, writes: [] } as const);
    const again = await errorOf(() => queue.commitMany([commit([to('t', 'two'), to('new')])], LIMITS));
    expect(again).to.include({ code: 'StorageRefused' });
    expect(lane().coming).to.equal(0);
    expect(await queue.settleMany([{ action: 'return', claim: claim!, progress }]), 'the claim still holds').to.deep.equal([true]);
    expect(queue['work'].gate['inside']).to.equal(0);
  });

  it('that are used up end a group of commits only for the one that needs a new one', async () => {
    const opened = await nearTheEnd();
    const { queue, lane } = opened;
    await queue.enqueueMany([[message('more')]], LIMITS);
    const [first, second] = queue.claimMany(request());
    takeAllNumbers(opened);
    const commits = [first, second].map((claim, index) => ({ settle: { action: 'done', claim: claim! }, enqueue: [to(index === 0 ? 't' : 'new', `c${index}`)], writes: [] } as const));
    await errorOf(() => queue.commitMany(commits, LIMITS));
    expect(lane().coming).to.equal(0);
    expect(queue.claimMany(request()).map(({ messageId }) => messageId)).to.deep.equal(['c0']);
    expect(await queue.settleMany([{ action: 'done', claim: second! }])).to.deep.equal([true]);
  });
});

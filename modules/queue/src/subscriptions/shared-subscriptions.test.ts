import type { ApplicationCatalog, Logger, QueueAdapter, StepRecord, StoredSubscription, SubscriptionChange } from '@treadle/api';
import { fakeClock, type FakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { stepRecord } from '../queue-rig.fixture.js';
import { subscriptionId } from './step-subscriptions.js';
import { Subscriptions } from './subscriptions.js';

const DELAY_MS = 5_000;
const SILENT = { warn: () => undefined } as unknown as Logger;

/** Subscriptions that engines share, with their votes. */
class CommonStore {
  writes = 0;
  private readonly stored = new Map<string, StoredSubscription>();
  private readonly votes = new Map<string, Set<string>>();
  private readonly listeners = new Map<string, () => void>();

  adapterOf(engine: string): Pick<QueueAdapter, 'subscriptions' | 'changeSubscriptions' | 'onSubscriptions'> {
    return {
      subscriptions: () => Promise.resolve([...this.stored.values()]),
      changeSubscriptions: async (changes) => {
        this.writes += 1;
        for (const change of changes) this.change(engine, change);
        for (const [other, listener] of this.listeners) if (other !== engine) listener();
        return Promise.resolve();
      },
      onSubscriptions: (listener) => {
        this.listeners.set(engine, listener);
        return () => void this.listeners.delete(engine);
      },
    };
  }

  /** The engine has ended, longer ago than anybody waits for it. */
  end(engine: string): void {
    for (const votes of this.votes.values()) votes.delete(engine);
  }

  get steps(): readonly string[] {
    return [...this.stored.values()].map(({ step }) => step).sort();
  }

  private change(engine: string, change: SubscriptionChange): void {
    const id = subscriptionId(change.action === 'put' ? change.subscription : change.key);
    const is = this.stored.get(id);
    const votes = this.votes.get(id) ?? new Set<string>();
    this.votes.set(id, votes);
    if (change.action === 'pause' && is) this.stored.set(id, { ...is, paused: change.paused });
    if (change.action === 'put') {
      votes.add(engine);
      this.stored.set(id, { ...change.subscription, paused: is?.paused ?? false });
    }
    if (change.action === 'retire' && (votes.delete(engine), votes.size === 0)) this.stored.delete(id);
  }
}

describe('subscriptions of several engines', () => {
  let clock: FakeClock;
  let store: CommonStore;
  let open: Subscriptions[];
  beforeEach(() => {
    clock = fakeClock();
    store = new CommonStore();
    open = [];
  });
  afterEach(() => open.forEach((one) => one.close()));
  const engine = async (name: string, ...steps: readonly StepRecord[]): Promise<Subscriptions> => {
    const subscriptions = new Subscriptions({ adapter: store.adapterOf(name), clock, log: SILENT, retireDelayMs: DELAY_MS });
    open.push(subscriptions);
    await subscriptions.load();
    subscriptions.follow([catalogOf(steps)]);
    await clock.advance(0);
    return subscriptions;
  };

  it('stay through a rolling deploy while an engine of either build wants them', async () => {
    const [kept, old, fresh] = [stepRecord('Kept', ['t']), stepRecord('Old', ['t']), stepRecord('New', ['t'])];
    const one = await engine('one', kept, old);
    await engine('two', kept, old);
    one.close();
    store.end('one');
    await engine('one again', kept, fresh);
    await clock.advance(4 * DELAY_MS);
    expect(store.steps).to.deep.equal(['Kept', 'New', 'Old']);
    open[1]?.close();
    store.end('two');
    await clock.advance(2 * DELAY_MS);
    expect(store.steps).to.deep.equal(['Kept', 'New']);
  });

  it('are paused and resumed for all', async () => {
    const step = stepRecord('A', ['t']);
    const [one, two] = [await engine('one', step), await engine('two', step)];
    const key = { step: 'A', topic: 't' };
    await one.pause(key, true);
    await clock.advance(0);
    expect(two.get(key)?.paused).to.equal(true);
    await two.pause(key, false);
    await clock.advance(0);
    expect(one.get(key)?.paused).to.equal(false);
  });

  it('are known to an engine that was there before another one brought the Step', async () => {
    const one = await engine('one', stepRecord('A', ['t']));
    await engine('two', stepRecord('A', ['t']), stepRecord('Listener', [{ type: 'state' }]));
    await clock.advance(0);
    expect(one.expected().map(({ step }) => step)).to.include('Listener');
    expect(one.hasTopic('')).to.equal(true);
  });

  it('are not overwritten for ever by two builds that want them differently', async () => {
    await engine('one', stepRecord('A', [{ type: 'queue', topic: 't' }]));
    await engine('two', stepRecord('A', [{ type: 'queue', topic: 't', config: { type: 'fifo' } }]));
    await clock.advance(0);
    const { writes } = store;
    await clock.advance(10 * DELAY_MS);
    expect(store.writes).to.equal(writes);
  });

  it('come back when they were retired while this engine was taken for dead', async () => {
    await engine('one', stepRecord('A', ['t']));
    store.end('one');
    const two = await engine('two', stepRecord('B', ['t']));
    await clock.advance(DELAY_MS);
    expect(two.all().map(({ step }) => step)).to.have.members(['A', 'B']);
  });
});

const catalogOf = (steps: readonly StepRecord[]): ApplicationCatalog => ({ application: 'app', steps, complete: true });

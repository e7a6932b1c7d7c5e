import { type ChangeSource, type Logger, type NewMessage, OperationError, type SharedChanges, type StoredChange, WrittenJson } from '@treadle/api';
import { fakeClock, type FakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { ChangeForwarder, type ForwarderParts } from './change-forwarder.js';

const ORIGIN = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true, hops: 0 };
const SILENT = { debug: () => 0, info: () => 0, warn: () => 0, error: () => 0, child: () => SILENT } as unknown as Logger;

/** One store of changes, and one queue, that several engines have. */
class Store {
  readonly clock: FakeClock = fakeClock();
  changes: StoredChange[] = [];
  readonly queued = new Map<string, number[]>([['A', []], ['B', []]]);
  /** Most messages that the queue takes for a Step. */
  readonly room = new Map<string, number>();
  /** Who asked for the lead, and whether it was given. */
  readonly asked: string[] = [];
  private readonly seen = new Set<string>();
  private readonly engines: Engine[] = [];
  private leader: { readonly engine: Engine; readonly until: number } | undefined;
  private made = 0;

  engine(name: string): Engine {
    const engine = new Engine(name, this);
    this.engines.push(engine);
    return engine;
  }

  /** Changes that an engine has stored: it is told at once, the others by the store. */
  add(by?: Engine, count = 1): void {
    for (let left = count; left > 0; left -= 1) {
      const input = new WrittenJson(`${this.made += 1}`);
      this.changes.push({ id: `c${this.made}`, subject: { kind: 'state', group: 'g', key: 'k' }, input, bytes: 10, origin: ORIGIN });
    }
    by?.feed.recorded();
    for (const engine of this.engines) if (engine !== by) engine.tell();
  }

  lead(engine: Engine, leaseMs: number): boolean {
    const { leader, clock } = this;
    const leads = !leader || leader.engine === engine || leader.until <= clock.now();
    if (leads) this.leader = { engine, until: clock.now() + leaseMs };
    this.asked.push(`${engine.name} ${leads}`);
    return leads;
  }

  enqueue({ to = '', data, dedupeKey }: NewMessage): void {
    if (this.seen.has(`${to} ${dedupeKey}`)) return;
    const queued = this.queued.get(to) ?? [];
    if (queued.length >= (this.room.get(to) ?? Infinity)) throw new OperationError('QueueFull', 'full');
    this.seen.add(`${to} ${dedupeKey}`);
    queued.push(Number(data));
  }
}

/** One engine's forwarder. What it asks of the store goes over its connection, which can be held up or end. */
class Engine {
  readonly feed: ChangeForwarder;
  sent = 0;
  /** Messages after which nothing of it gets through any more. */
  diesAfter = Infinity;
  private listener = (): void => undefined;
  private ids = 0;
  private readonly held: (() => void)[] = [];

  constructor(readonly name: string, private readonly store: Store, private readonly isAlone = false) {
    const listeners = { wants: () => true, stepsFor: () => ['A', 'B'], stored: async () => undefined };
    const publisher = { nextId: () => `${name}${this.ids += 1}`, store: (messages: readonly NewMessage[]) => this.publish(messages) };
    const parts = { publisher, listeners, dedupe: true, clock: store.clock, log: SILENT, recordedLate: () => undefined } as unknown as ForwarderParts;
    this.feed = new ChangeForwarder(this.source(), parts);
  }

  tell(): void {
    this.listener();
  }

  /** What was held up gets through after all. */
  revive(): void {
    this.diesAfter = Infinity;
    for (const go of this.held.splice(0)) go();
  }

  private source(): ChangeSource {
    const shared: SharedChanges = {
      lead: (leaseMs) => this.reach(() => this.store.lead(this, leaseMs)),
      onChanges: (listener) => {
        this.listener = listener;
        return () => { this.listener = () => undefined; };
      },
    };
    return {
      kind: 'state', ...this.isAlone ? {} : { shared },
      pending: (limit, after) => this.reach(() => {
        const from = this.store.changes.findIndex(({ id }) => id === after) + 1;
        return this.store.changes.slice(from, from + limit);
      }),
      settle: (ids) => this.reach(() => {
        const settled = new Set(ids);
        this.store.changes = this.store.changes.filter(({ id }) => !settled.has(id));
      }),
    };
  }

  private publish(messages: readonly NewMessage[]): Promise<void> {
    this.sent += messages.length;
    return this.reach(() => { for (const message of messages) this.store.enqueue(message); });
  }

  private async reach<T>(act: () => T): Promise<T> {
    if (this.sent > this.diesAfter) await new Promise<void>((resolve) => { this.held.push(resolve); });
    await Promise.resolve();
    return act();
  }
}

describe('forwarders of two engines on one store', () => {
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
  let store: Store;
  let engines: [Engine, Engine];
  beforeEach(() => {
    store = new Store();
    engines = [store.engine('one'), store.engine('two')];
  });
  afterEach(async () => {
    for (const engine of engines) engine.revive();
    await store.clock.advance(1_000);
    await Promise.all(engines.map(({ feed }) => feed.close()));
    expect(store.clock.pending, 'timers that are left').to.equal(0);
  });

  it('take each change once: one of them does, whoever wrote it', async () => {
    const [one, two] = engines;
    for (let round = 0; round < 50; round += 1) {
      store.add(round % 3 === 0 ? one : two);
      await store.clock.advance(200);
    }
    expect([store.queued.get('A'), store.queued.get('B'), store.changes]).to.deep.equal([numbers(50), numbers(50), []]);
    expect([one.sent, two.sent].sort()).to.deep.equal([0, 100]);
  });

  it('ask for the lead seldom, however much is written', async () => {
    for (let round = 0; round < 100; round += 1) {
      store.add(engines[round % 2]);
      await store.clock.advance(10);
    }
    expect(store.asked.length).to.be.at.most(4);
    expect(store.queued.get('A')).to.have.length(100);
  });

  for (const diesAfter of [0, 1, 7, 40, 99]) {
    it(`lose and double nothing when the one that leads ends after ${diesAfter} messages`, async () => {
      const [one, two] = engines;
      one.diesAfter = diesAfter;
      for (let count = 0; count < 60; count += 1) store.add(one);
      await store.clock.advance(4_000);
      const before = two.sent;
      await store.clock.advance(6_500);
      expect([before, store.queued.get('A'), store.queued.get('B'), store.changes]).to.deep.equal([0, numbers(60), numbers(60), []]);
    });
  }

  it('take over although nothing more is written', async () => {
    const [one, two] = engines;
    one.diesAfter = 3;
    store.add(one);
    store.add(one);
    await store.clock.advance(11_000);
    expect([store.queued.get('B'), two.sent > 0]).to.deep.equal([[1, 2], true]);
  });

  it('keep the order when one that was held up goes on while another one leads', async () => {
    const [one, two] = engines;
    one.diesAfter = 11;
    for (let count = 0; count < 30; count += 1) store.add(one);
    await store.clock.advance(5_500);
    for (let count = 0; count < 30; count += 1) store.add(two);
    one.revive();
    for (let count = 0; count < 10; count += 1) store.add(one);
    await store.clock.advance(12_000);
    expect([store.queued.get('A'), store.queued.get('B'), store.changes]).to.deep.equal([numbers(70), numbers(70), []]);
  });

  it('forget what they knew of a full subscription when another one led meanwhile', async () => {
    const [one, two] = engines;
    store.room.set('A', 2);
    for (let count = 0; count < 10; count += 1) store.add(one);
    await store.clock.advance(600);
    expect([store.queued.get('A'), store.queued.get('B')?.length, store.changes.length]).to.deep.equal([[1, 2], 10, 8]);
    // The one that knows what A has not got is held up; the other one gives A some of it, until A is full again.
    one.diesAfter = -1;
    await store.clock.advance(5_000);
    store.room.set('A', 5);
    await store.clock.advance(6_000);
    expect(store.queued.get('A')).to.deep.equal(numbers(5));
    two.diesAfter = -1;
    one.revive();
    for (let count = 0; count < 5; count += 1) store.add(one);
    store.room.set('A', 100);
    await store.clock.advance(15_000);
    expect([store.queued.get('A'), store.queued.get('B'), store.changes]).to.deep.equal([numbers(15), numbers(15), []]);
  });
});

describe('a forwarder on a store of its own', () => {
  it('goes on when a full Step has room again, after as many changes as may be left for one', async function slow() {
    this.timeout(180_000);
    const store = new Store();
    const engine = new Engine('alone', store, true);
    const until = async (reached: () => boolean): Promise<void> => { for (let turn = 0; turn < 10_000 && !reached(); turn += 1) await store.clock.advance(0); };
    store.room.set('A', 0);
    store.add(engine, 100_500);
    await until(() => (store.queued.get('B')?.length ?? 0) >= 100_000 && store.clock.pending === 1);
    store.add(engine);
    store.room.delete('A');
    await store.clock.advance(500);
    await until(() => store.changes.length === 0);
    expect([store.queued.get('A')?.length, store.queued.get('B')?.length]).to.deep.equal([100_501, 100_501]);
    await engine.feed.close();
  });

  it('asks nobody, and has no timer', async () => {
    const store = new Store();
    const engine = new Engine('alone', store, true);
    store.add(engine);
    await store.clock.advance(0);
    expect([store.queued.get('A'), store.asked, store.clock.pending]).to.deep.equal([[1], [], 0]);
    await engine.feed.close();
  });
});

import type { Clock, QueueAdapter, StoredSubscription, Timer } from '@treadle/api';
import { MapQueue } from '@treadle/testing';

/** Ways in which a store may be wrong, so that a simulation has something to find. */
export type StoreFault = 'acknowledges first' | 'loses claims' | 'keeps no order' | 'forgets dedupe keys' | 'delivers early';

/** A queue that outlives the engines that use it, one after the other. */
export class SimulatedStore extends MapQueue {
  constructor(private readonly fault?: StoreFault) {
    super();
  }

  /** After the end of an engine: its claims are free. */
  releaseClaims(): void {
    for (const { deliveries } of this.kept.all()) {
      for (const delivery of [...deliveries.values()]) {
        if (delivery.epoch === undefined) continue;
        delivery.epoch = undefined;
        if (this.fault === 'loses claims') deliveries.delete(delivery.id);
      }
    }
  }

  override enqueueMany(...[batches, limits]: Parameters<QueueAdapter['enqueueMany']>): ReturnType<QueueAdapter['enqueueMany']> {
    if (this.fault === 'forgets dedupe keys') return super.enqueueMany(batches.map((batch) => batch.map((one) => ({ ...one, dedupeKey: undefined }))), limits);
    if (this.fault === 'delivers early') return super.enqueueMany(batches.map((batch) => batch.map((one) => ({ ...one, dueAt: 0 }))), limits);
    return super.enqueueMany(batches, limits);
  }

  override async subscriptions(): Promise<readonly StoredSubscription[]> {
    return this.withoutOrder(await super.subscriptions());
  }

  override changeSubscriptions(...[changes]: Parameters<QueueAdapter['changeSubscriptions']>): Promise<void> {
    return super.changeSubscriptions(changes.map((one) => (one.action === 'put' ? { ...one, subscription: { ...one.subscription, ...this.fault === 'keeps no order' && { fifo: false } } } : one)));
  }

  private withoutOrder(all: readonly StoredSubscription[]): readonly StoredSubscription[] {
    return this.fault === 'keeps no order' ? all.map((one) => ({ ...one, fifo: false })) : all;
  }
}

/** What is slow on the way between an engine and its store, and when the engine is dead. */
export interface LineOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly fault?: StoreFault | undefined;
}

interface Call {
  readonly run: () => void;
  readonly timer: Timer;
}

const MOST_DELAY_MS = 8;
/** Calls of which the engine waits for the answer. */
const CALLS: readonly string[] = ['subscriptions', 'changeSubscriptions', 'enqueueMany', 'claimMany', 'settleMany', 'expire', 'unrouted', 'statistics'];

/** An engine's connection to its store: calls arrive in their order but late, answers come later still and in any order. */
export class StoreLine {
  readonly adapter: QueueAdapter;
  private readonly underWay = new Set<Call>();
  private lastArrival = 0;
  private cut = false;

  constructor(store: SimulatedStore, private readonly options: LineOptions) {
    this.adapter = new Proxy(store, { get: (target, name) => this.member(target, name) });
  }

  /** The engine is dead: of the calls under way only some arrive, the first ones; no answer does. */
  end(): void {
    this.cut = true;
    const arriving = Math.floor(this.options.random() * (this.underWay.size + 1));
    [...this.underWay].forEach(({ run, timer }, index) => {
      timer.cancel();
      if (index < arriving) run();
    });
  }

  private member(target: SimulatedStore, name: string | symbol): unknown {
    const found = Reflect.get(target, name) as unknown;
    if (name === 'onDue') return (listener: (key: { step: string; topic: string }) => void) => target.onDue((key) => this.tell(() => listener(key)));
    if (typeof found !== 'function') return found;
    const call = (...parameters: unknown[]): unknown => Reflect.apply(found, target, parameters);
    return CALLS.includes(String(name)) ? (...parameters: unknown[]) => this.call(name, () => call(...parameters), parameters) : call;
  }

  private tell(task: () => void): void {
    if (!this.cut) this.options.clock.after(this.delay(), () => void (!this.cut && task()));
  }

  private call(name: string | symbol, run: () => unknown, parameters: readonly unknown[]): Promise<unknown> {
    const { clock, fault } = this.options;
    return new Promise((resolve, reject) => {
      if (this.cut) return;
      const early = fault === 'acknowledges first' && name === 'enqueueMany';
      if (early) this.tell(() => resolve((parameters[0] as readonly { id: string }[][]).map((batch) => ({ ok: true, ids: batch.map(({ id }) => id) }))));
      this.lastArrival = Math.max(this.lastArrival, clock.monotonic() + this.delay() * (early ? 5 : 1));
      const call: Call = {
        run: () => {
          this.underWay.delete(call);
          void (run() as Promise<unknown>).then((value) => this.tell(() => resolve(value)), (error: Error) => this.tell(() => reject(error)));
        },
        timer: clock.after(this.lastArrival - clock.monotonic(), () => call.run()),
      };
      this.underWay.add(call);
    });
  }

  private delay(): number {
    return Math.floor(this.options.random() * MOST_DELAY_MS);
  }
}

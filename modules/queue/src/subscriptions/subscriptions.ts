import type {
  ApplicationCatalog, Clock, Logger, QueueAdapter, StoredSubscription, SubscriptionChange, SubscriptionKey, Timer,
} from '@treadle/api';
import { storedForm, subscriptionId, wantedSubscriptions } from './step-subscriptions.js';
import { Retirement } from './retirement.js';

/** After a failed write of subscriptions it is tried again; milliseconds. */
const RETRY_MS = 1_000;

/** What the subscriptions work with. */
export interface SubscriptionsParts {
  readonly adapter: Pick<QueueAdapter, 'subscriptions' | 'changeSubscriptions'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Milliseconds; 0 at once. */
  readonly retireDelayMs: number;
}

/** Keeps the stored subscriptions in step with the catalogs. One write at a time; what is read here is what is stored. */
export class Subscriptions {
  private readonly stored = new Map<string, StoredSubscription>();
  private readonly wanted = new Map<string, StoredSubscription>();
  /** Number of stored subscriptions by topic. */
  private readonly topics = new Map<string, number>();
  private readonly retirement: Retirement;
  private listener: () => void = () => undefined;
  private work: Promise<void> = Promise.resolve();
  private retry: Timer | undefined;
  private closed = false;

  constructor(private readonly parts: SubscriptionsParts) {
    this.retirement = new Retirement(parts.clock, parts.retireDelayMs, () => this.synchronize());
  }

  async load(): Promise<void> {
    for (const subscription of await this.parts.adapter.subscriptions()) this.keep(subscription);
  }

  /** Runs after what is stored or wanted has changed. */
  onChange(listener: () => void): void {
    this.listener = listener;
  }

  all(): readonly StoredSubscription[] {
    return [...this.stored.values()];
  }

  /** Those stored and those about to be. */
  expected(): readonly StoredSubscription[] {
    return [...new Map([...this.stored, ...this.wanted]).values()];
  }

  get(key: SubscriptionKey): StoredSubscription | undefined {
    return this.stored.get(subscriptionId(key));
  }

  /** True when a message for the topic reaches a subscription. */
  hasTopic(topic: string): boolean {
    return this.topics.has(topic);
  }

  /** Goes over to what the applications are now. */
  follow(catalogs: readonly ApplicationCatalog[]): void {
    this.wanted.clear();
    for (const wanted of this.wantedOf(catalogs)) this.wanted.set(subscriptionId(wanted), wanted);
    this.retirement.follow(catalogs);
    this.listener();
    this.synchronize();
  }

  /** Milliseconds; what is waiting to be retired waits for the new time, from now on. */
  retireAfter(ms: number): void {
    this.retirement.setDelay(ms);
  }

  /** Resolves to false when there is no such subscription. */
  pause(key: SubscriptionKey, paused: boolean): Promise<boolean> {
    return this.after(async () => {
      const is = this.get(key);
      if (!is) return false;
      if (is.paused !== paused) await this.write([{ action: 'put', subscription: { ...is, paused } }]);
      return true;
    });
  }

  /** Resolves when every write that was begun has ended. */
  async settled(): Promise<void> {
    await this.work;
  }

  close(): void {
    this.closed = true;
    this.retirement.close();
    this.retry?.cancel();
  }

  private synchronize(): void {
    void this.after(async () => {
      const changes = [...this.puts(), ...this.retirements()];
      if (changes.length > 0 && !this.closed) await this.write(changes);
    }).catch((error: unknown) => this.failed(error));
  }

  /** Of two applications with the same Step and topic the one that has it keeps it. */
  private wantedOf(catalogs: readonly ApplicationCatalog[]): readonly StoredSubscription[] {
    const wanted = new Map<string, StoredSubscription>();
    for (const { application, steps } of catalogs) {
      for (const one of steps.flatMap(wantedSubscriptions)) {
        const id = subscriptionId(one);
        if (wanted.has(id) && this.stored.get(id)?.application !== application) continue;
        wanted.set(id, storedForm(one, application));
      }
    }
    return [...wanted.values()];
  }

  private puts(): SubscriptionChange[] {
    const changes: SubscriptionChange[] = [];
    for (const [id, wanted] of this.wanted) {
      const is = this.stored.get(id);
      const subscription = { ...wanted, paused: is?.paused ?? false };
      if (!is || JSON.stringify(ordered(is)) !== JSON.stringify(ordered(subscription))) changes.push({ action: 'put', subscription });
    }
    return changes;
  }

  private retirements(): SubscriptionChange[] {
    return this.all()
      .filter((is) => !this.wanted.has(subscriptionId(is)) && this.retirement.isDue(is.application))
      .map(({ step, topic }) => ({ action: 'retire', key: { step, topic } }));
  }

  private async write(changes: readonly SubscriptionChange[]): Promise<void> {
    await this.parts.adapter.changeSubscriptions(changes);
    for (const change of changes) {
      if (change.action === 'put') this.keep(change.subscription);
      else this.drop(change.key);
    }
    this.listener();
  }

  private keep(subscription: StoredSubscription): void {
    const { topic } = subscription;
    const id = subscriptionId(subscription);
    if (!this.stored.has(id)) this.topics.set(topic, (this.topics.get(topic) ?? 0) + 1);
    this.stored.set(id, subscription);
  }

  private drop(key: SubscriptionKey): void {
    if (!this.stored.delete(subscriptionId(key))) return;
    this.parts.log.warn('a subscription was retired: what waits in it are dead letters now', { ...key });
    const left = (this.topics.get(key.topic) ?? 1) - 1;
    if (left > 0) this.topics.set(key.topic, left);
    else this.topics.delete(key.topic);
  }

  private after<T>(task: () => Promise<T>): Promise<T> {
    const done = this.work.then(task);
    // A failure is its caller's; the next one has nothing to do with it.
    this.work = done.then(() => undefined, () => undefined);
    return done;
  }

  private failed(error: unknown): void {
    if (this.closed) return;
    this.parts.log.warn('subscriptions could not be stored; it is tried again', { error: String(error) });
    this.retry?.cancel();
    this.retry = this.parts.clock.after(RETRY_MS, () => this.synchronize());
  }
}

/** The members that count, in one order. */
function ordered({ step, topic, application, fifo, delayMs, paused, settings }: StoredSubscription): unknown[] {
  return [step, topic, application, fifo, delayMs, paused, settings];
}

import type {
  ApplicationCatalog, Clock, DeclaredSubscription, Logger, QueueAdapter, StoredSubscription, SubscriptionChange, SubscriptionKey, Timer, Unsubscribe,
} from '@treadle/api';
import { storedForm, subscriptionId, wantedSubscriptions } from './step-subscriptions.js';
import type { DeliveryKey } from './trigger-topic.js';
import { Retirement } from './retirement.js';

const NO_KEYS: DeliveryKey = () => undefined;
/** After a failed write of subscriptions it is tried again; milliseconds. */
const RETRY_MS = 1_000;

/** Where other engines still want a subscription that this one does not, it is asked again; milliseconds. */
const ASK_AGAIN_MS = 5_000;

/** What the subscriptions work with. */
export interface SubscriptionsParts {
  readonly adapter: Pick<QueueAdapter, 'subscriptions' | 'changeSubscriptions' | 'onSubscriptions'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Milliseconds; 0 at once. */
  readonly retireDelayMs: number;
  /** Default: none of plugins. */
  readonly keyOf?: DeliveryKey;
}

/**
 * Keeps the stored subscriptions in step with the catalogs. One write at a time; after each the store is read, which other engines may
 * have changed as well. What this engine wants it declares once, so that two builds with different settings do not overwrite each other for ever.
 */
export class Subscriptions {
  private stored: ReadonlyMap<string, StoredSubscription> = new Map();
  private topics: ReadonlySet<string> = new Set();
  private readonly wanted = new Map<string, StoredSubscription>();
  /** What this engine has declared, as text. */
  private readonly declared = new Map<string, string>();
  /** Would be retired if no other engine wanted them; asked about again after a while. */
  private readonly wantedByOthers = new Set<string>();
  private readonly retirement: Retirement;
  private listener: () => void = () => undefined;
  private unfollow: Unsubscribe | undefined;
  private work: Promise<void> = Promise.resolve();
  private retry: Timer | undefined;
  private closed = false;

  constructor(private readonly parts: SubscriptionsParts) {
    this.retirement = new Retirement(parts.clock, parts.retireDelayMs, () => this.synchronize());
  }

  async load(): Promise<void> {
    this.unfollow = this.parts.adapter.onSubscriptions?.(() => this.synchronize());
    await this.after(() => this.read());
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

  /** For all engines of the store. Resolves to false when there is no such subscription. */
  pause(key: SubscriptionKey, paused: boolean): Promise<boolean> {
    return this.after(async () => {
      if (!this.get(key)) return false;
      await this.write([{ action: 'pause', key: { step: key.step, topic: key.topic }, paused }]);
      return true;
    });
  }

  /** Resolves when what others were told of in this turn has been declared. */
  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    await this.work;
  }

  /** Resolves when every write that was begun has ended. */
  async settled(): Promise<void> {
    await this.work;
  }

  close(): void {
    this.closed = true;
    this.unfollow?.();
    this.retirement.close();
    this.retry?.cancel();
  }

  /** Reads what other engines may have changed, and declares and retires what is this engine's to. */
  private synchronize(): void {
    void this.after(async () => {
      if (this.closed) return;
      if (this.isShared) await this.read();
      const changes = [...this.declarations(), ...this.retirements()];
      if (changes.length === 0) return;
      await this.write(changes);
      this.noteWantedByOthers(changes);
    }).catch((error: unknown) => this.failed(error));
  }

  /** What others want is not asked about again at once: their answer to it would ask this engine, and so on. */
  private noteWantedByOthers(changes: readonly SubscriptionChange[]): void {
    for (const change of changes) if (change.action === 'retire' && this.get(change.key)) this.wantedByOthers.add(subscriptionId(change.key));
    if (this.wantedByOthers.size > 0 && !this.retry) this.later(ASK_AGAIN_MS);
  }

  private get isShared(): boolean {
    return this.parts.adapter.onSubscriptions !== undefined;
  }

  /** Of two applications with the same Step and topic the one that has it keeps it. */
  private wantedOf(catalogs: readonly ApplicationCatalog[]): readonly StoredSubscription[] {
    const wanted = new Map<string, StoredSubscription>();
    for (const { application, steps } of catalogs) {
      for (const one of steps.flatMap((step) => wantedSubscriptions(step, this.parts.keyOf ?? NO_KEYS))) {
        const id = subscriptionId(one);
        if (wanted.has(id) && this.stored.get(id)?.application !== application) continue;
        wanted.set(id, storedForm(one, application));
      }
    }
    return [...wanted.values()];
  }

  /** On a store of this engine alone what is stored need not be declared again. */
  private declarations(): SubscriptionChange[] {
    const changes: SubscriptionChange[] = [];
    for (const [id, wanted] of this.wanted) {
      const text = textOf(wanted);
      const is = this.stored.get(id);
      if (is && (this.isShared ? this.declared.get(id) : textOf(is)) === text) continue;
      const { paused: _paused, ...subscription } = wanted;
      changes.push({ action: 'put', subscription });
    }
    return changes;
  }

  private retirements(): SubscriptionChange[] {
    return this.all()
      .filter((is) => !this.wanted.has(subscriptionId(is)) && !this.wantedByOthers.has(subscriptionId(is)) && this.retirement.isDue(is.application))
      .map(({ step, topic }) => ({ action: 'retire', key: { step, topic }, afterMs: this.retirement.delay }));
  }

  private async write(changes: readonly SubscriptionChange[]): Promise<void> {
    await this.parts.adapter.changeSubscriptions(changes);
    for (const change of changes) {
      if (change.action === 'put') this.declared.set(subscriptionId(change.subscription), textOf(change.subscription));
      if (change.action === 'retire') this.declared.delete(subscriptionId(change.key));
    }
    await this.read();
  }

  private async read(): Promise<void> {
    const before = this.stored;
    const all = await this.parts.adapter.subscriptions();
    this.stored = new Map(all.map((subscription) => [subscriptionId(subscription), subscription]));
    this.topics = new Set(all.map(({ topic }) => topic));
    for (const [id, { step, topic }] of before) {
      if (!this.stored.has(id)) this.parts.log.warn('a subscription was retired: what waits in it are dead letters now', { step, topic });
    }
    this.listener();
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
    this.later(RETRY_MS);
  }

  private later(ms: number): void {
    this.retry?.cancel();
    this.retry = this.parts.clock.after(ms, () => {
      this.retry = undefined;
      this.wantedByOthers.clear();
      this.synchronize();
    });
  }
}

/** The members that an engine declares, in one order. */
function textOf({ step, topic, application, fifo, delayMs, settings }: DeclaredSubscription): string {
  return JSON.stringify([step, topic, application, fifo, delayMs, settings]);
}

import type { Clock, QueueAdapter, SubscriptionKey } from '@treadle/api';
import { textOf } from './subscription-list.js';

/** Counts are good for so long: the shorter time for a subscription that has half of what it may have; milliseconds of the engine's monotonic clock. */
const FRESH_MS = 1_000;
const FAR_MS = 10_000;

/** A subscription's queue on the server. */
interface CountedLane {
  readonly depth: number;
  open(): Promise<unknown>;
  count(): Promise<number>;
}

/** What is counted. */
interface Counted {
  readonly store: Pick<QueueAdapter, 'statistics'>;
  readonly clock: Clock;
  lane(key: SubscriptionKey): CountedLane;
  isCarried(key: SubscriptionKey): boolean;
}

/** How many deliveries subscriptions have: counted now and then, and kept by what this engine adds. What others do meanwhile is seen at the next count. */
export class WaitingCounts {
  private readonly inStore = new Map<string, number>();
  private storeAt = -Infinity;
  private readonly laneAt = new Map<string, number>();
  private counting: Promise<void> | undefined;

  constructor(private readonly work: Counted) {}

  /** Deliveries of a subscription, there and on the server. */
  of(key: SubscriptionKey): number {
    return (this.inStore.get(textOf(key)) ?? 0) + this.work.lane(key).depth;
  }

  /** Counts what is out of date. */
  async learn(key: SubscriptionKey, maxWaiting: number): Promise<void> {
    await this.work.lane(key).open();
    const good = this.of(key) * 2 < maxWaiting ? FAR_MS : FRESH_MS;
    if (this.isStale(this.storeAt, good) || this.isStale(this.laneAt.get(textOf(key)), good)) await this.count(key);
  }

  /** Counts anew. */
  async count(key: SubscriptionKey): Promise<void> {
    await (this.counting ??= this.countStore().finally(() => { this.counting = undefined; }));
    await this.countLane(key);
  }

  /** The most that one of these has on the server. */
  async onServer(targets: readonly SubscriptionKey[]): Promise<number> {
    const carried = new Map(targets.filter((target) => this.work.isCarried(target)).map((target) => [textOf(target), target]));
    const depths = await Promise.all([...carried].map(async ([text, target]) => {
      if (this.isStale(this.laneAt.get(text), FRESH_MS)) await this.countLane(target);
      return this.work.lane(target).depth;
    }));
    return Math.max(0, ...depths);
  }

  /** The second store may have got so much more. */
  added(targets: readonly SubscriptionKey[]): void {
    for (const target of targets) this.inStore.set(textOf(target), (this.inStore.get(textOf(target)) ?? 0) + 1);
  }

  /** What is known of the second store is out of date. */
  forget(): void {
    this.storeAt = -Infinity;
  }

  private isStale(at = -Infinity, goodMs: number): boolean {
    return this.work.clock.monotonic() - at >= goodMs;
  }

  private async countLane(key: SubscriptionKey): Promise<void> {
    await this.work.lane(key).count();
    this.laneAt.set(textOf(key), this.work.clock.monotonic());
  }

  private async countStore(): Promise<void> {
    const statistics = await this.work.store.statistics();
    this.inStore.clear();
    for (const { waiting, delayed, retrying, active, ...key } of statistics) this.inStore.set(textOf(key), waiting + delayed + retrying + active);
    this.storeAt = this.work.clock.monotonic();
  }
}

import { type Clock, invalidArgument, type NewMessage, type StoredSubscription, type SubscriptionStatistics } from '@treadle/api';
import type { DeliveryOutcome } from '../delivery/delivery-outcome.js';
import { subscriptionId } from '../subscriptions/step-subscriptions.js';
import type { Attempt } from '../delivery/delivery-run.js';

/** One bucket; the shortest window. */
const BUCKET_MS = 5_000;
/** Buckets that are kept: five minutes. */
const BUCKETS = 60;
const DEFAULT_WINDOW_MS = 60_000;
/** What is counted. Deliveries that were handed back as they were come again and are counted then. */
const KINDS = ['enqueued', 'done', 'failed', 'dead'] as const;
const KIND_OF: Readonly<Partial<Record<DeliveryOutcome, (typeof KINDS)[number]>>> = { done: 'done', skipped: 'done', retry: 'failed', crashed: 'failed', dead: 'dead' };

/** Counts over the last five minutes, in buckets that are used again and again. */
class Meter {
  private readonly counts = new Uint32Array(BUCKETS * KINDS.length);
  /** Which bucket since the start each place holds now. */
  private readonly holds = new Float64Array(BUCKETS).fill(-1);

  add(bucket: number, kind: (typeof KINDS)[number]): void {
    const place = bucket % BUCKETS;
    const at = place * KINDS.length;
    if (this.holds[place] !== bucket) {
      this.holds[place] = bucket;
      this.counts.fill(0, at, at + KINDS.length);
    }
    const index = at + KINDS.indexOf(kind);
    this.counts[index] = (this.counts[index] as number) + 1;
  }

  /** In the buckets from one to another, both included. */
  sum(kind: (typeof KINDS)[number], from: number, to: number): number {
    let sum = 0;
    for (let bucket = from; bucket <= to; bucket += 1) {
      const place = bucket % BUCKETS;
      if (this.holds[place] === bucket) sum += this.counts[place * KINDS.length + KINDS.indexOf(kind)] as number;
    }
    return sum;
  }
}

/** One of the items of `GET /rates`. */
export interface QueueRate {
  readonly step: string;
  readonly topic: string;
  /** Messages a second; `failed` are attempts that will be repeated, `settled` is done and dead. */
  readonly enqueuedPerSecond: number;
  readonly donePerSecond: number;
  readonly failedPerSecond: number;
  readonly deadPerSecond: number;
  readonly settledPerSecond: number;
  /** Until nothing waits at this rate; absent when it grows or nothing waits. */
  readonly drainMs?: number;
}

/** How many messages a second come and go, by subscription: counted as they do, in memory. */
export class QueueRates {
  /** By topic; for changes of state and streams by Step, after a line break, which no topic has. */
  private readonly entries = new Map<string, Meter>();
  private readonly ends = new Map<string, Map<string, Meter>>();
  private readonly since: number;

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {
    this.since = clock.monotonic();
  }

  /** Messages that became durable. */
  entered(messages: readonly NewMessage[]): void {
    const bucket = this.bucket();
    for (const { topic, to } of messages) meterOf(this.entries, to === undefined ? topic : `\n${to}`).add(bucket, 'enqueued');
  }

  /** An attempt has ended. */
  ended(outcome: DeliveryOutcome, { consumer: { step, topic } }: Attempt): void {
    const kind = KIND_OF[outcome];
    if (kind === undefined) return;
    let steps = this.ends.get(step);
    if (!steps) this.ends.set(step, steps = new Map());
    meterOf(steps, topic).add(this.bucket(), kind);
  }

  /** `window`: milliseconds as an argument says them. @throws AdminError 400 */
  read(subscriptions: readonly StoredSubscription[], statistics: readonly SubscriptionStatistics[], window: string | undefined): { readonly items: readonly QueueRate[]; readonly windowMs: number } {
    const asked = windowOf(window);
    this.forget(subscriptions);
    const to = this.bucket();
    const from = Math.max(0, to - Math.ceil(asked / BUCKET_MS) + 1);
    // The newest bucket is not full yet.
    const windowMs = Math.max(1, this.clock.monotonic() - this.since - from * BUCKET_MS);
    const waiting = new Map(statistics.map((one) => [subscriptionId(one), one.waiting + one.delayed + one.retrying]));
    return { windowMs: Math.round(windowMs), items: subscriptions.map((one) => this.rate(one, { from, to, windowMs, waiting: waiting.get(subscriptionId(one)) ?? 0 })) };
  }

  private rate({ step, topic }: StoredSubscription, { from, to, windowMs, waiting }: { readonly from: number; readonly to: number; readonly windowMs: number; readonly waiting: number }): QueueRate {
    const perSecond = (meter: Meter | undefined, kind: (typeof KINDS)[number]): number => ((meter?.sum(kind, from, to) ?? 0) * 1_000) / windowMs;
    const ends = this.ends.get(step)?.get(topic);
    const [donePerSecond, failedPerSecond, deadPerSecond] = (['done', 'failed', 'dead'] as const).map((kind) => perSecond(ends, kind)) as [number, number, number];
    const enqueuedPerSecond = perSecond(this.entries.get(topic === '' ? `\n${step}` : topic), 'enqueued');
    const settledPerSecond = donePerSecond + deadPerSecond;
    const shrinks = settledPerSecond - enqueuedPerSecond;
    return {
      step, topic, enqueuedPerSecond, donePerSecond, failedPerSecond, deadPerSecond, settledPerSecond,
      ...waiting > 0 && shrinks > 0 && { drainMs: Math.round((waiting / shrinks) * 1_000) },
    };
  }

  /** What no subscription has any more; topics that nobody consumes are never shown. */
  private forget(subscriptions: readonly StoredSubscription[]): void {
    const wanted = new Set(subscriptions.map(({ step, topic }) => (topic === '' ? `\n${step}` : topic)));
    for (const key of this.entries.keys()) if (!wanted.has(key)) this.entries.delete(key);
    const steps = new Set(subscriptions.map(({ step }) => step));
    for (const step of this.ends.keys()) if (!steps.has(step)) this.ends.delete(step);
  }

  private bucket(): number {
    return Math.floor((this.clock.monotonic() - this.since) / BUCKET_MS);
  }
}

/** Series that are kept for what nobody has asked for yet. */
const MOST_METERS = 10_000;

function meterOf(meters: Map<string, Meter>, key: string): Meter {
  const known = meters.get(key);
  if (known) return known;
  if (meters.size >= MOST_METERS) meters.clear();
  const meter = new Meter();
  meters.set(key, meter);
  return meter;
}

function windowOf(text: string | undefined): number {
  const windowMs = text === undefined ? DEFAULT_WINDOW_MS : Number(text);
  if (Number.isInteger(windowMs) && windowMs >= BUCKET_MS && windowMs <= BUCKETS * BUCKET_MS) return windowMs;
  throw invalidArgument(`windowMs must be a whole number from ${BUCKET_MS} to ${BUCKETS * BUCKET_MS}`);
}

import type { QueueDelivery, StepId, SubscriptionKey, TriggerRef } from '@treadle/api';
import { SchemaCheck } from '@treadle/json';
import { selects, subjectOf } from '../changes/change-selector.js';
import type { DeliverySettings } from '../subscriptions/delivery-settings.js';
import { RateWindow } from './rate-window.js';
import type { ReadDelivery } from './read-delivery.js';
import type { WantedSubscription } from '../subscriptions/step-subscriptions.js';

/** Deliveries of one subscription to a Step of the catalog: how many may run, and how many do. */
export class Consumer {
  readonly step: StepId;
  readonly topic: string;
  settings: DeliverySettings;
  /** Of the messages; absent when every one will do. */
  check: SchemaCheck | undefined;
  paused = false;
  /** What its handler does is committed with the acknowledgement. */
  atomic = false;
  /** The Step is not in the catalog any more. */
  gone = false;
  /** Deliveries in handlers. */
  running = 0;
  /** Atomic deliveries that have left their slots and are not committed. */
  ahead = 0;
  /** So many of the next atomic ones keep their slots until they are committed. */
  careful = 0;
  /** Slots that a claim under way may fill. */
  asked = 0;
  /** The adapter may have something to claim. */
  due = true;
  /** In the pump's list of this turn. */
  listed = false;
  /** When the pump's timer for the rate limit ends, as `rateWaitMs` is told the time. A reload may bring a limit that waits for less. */
  wakesAt = Infinity;
  /** Lower than the concurrency while the workers have no more credit. */
  private ceiling: number;
  private rate: RateWindow | undefined;
  private triggers: WantedSubscription['triggers'];
  /** Of its own topic. */
  private readonly ownTrigger: { type: string; index: number };
  private input: WantedSubscription['input'];

  /** @throws Error when the schema of the messages cannot be compiled */
  constructor(wanted: WantedSubscription, readonly load: StepLoad) {
    this.step = wanted.step;
    this.topic = wanted.topic;
    this.settings = wanted.settings;
    this.ceiling = wanted.settings.concurrency;
    this.triggers = wanted.triggers;
    this.ownTrigger = { type: wanted.triggers[0]?.type ?? 'queue', index: 0 };
    this.use(wanted);
  }

  /** The config of the Step has changed; applies to later claims. */
  use(wanted: WantedSubscription): void {
    const { settings, triggers, input } = wanted;
    const { rateLimit } = settings;
    if (rateLimit?.max !== this.rate?.max || rateLimit?.perMs !== this.rate?.perMs) {
      this.rate = rateLimit && new RateWindow(rateLimit.max, rateLimit.perMs);
    }
    if (JSON.stringify(input) !== JSON.stringify(this.input)) {
      this.check = input === undefined || input === true ? undefined : new SchemaCheck(input, 'input');
      this.input = input;
    }
    this.settings = settings;
    this.atomic = wanted.atomic;
    this.ceiling = settings.concurrency;
    this.triggers = triggers;
    this.ownTrigger.index = triggers[0]?.index ?? 0;
    this.gone = false;
  }

  /** Deliveries that may be claimed now. `now`: milliseconds of the monotonic clock. */
  free(now: number): number {
    const { slots } = this;
    return this.rate === undefined || slots <= 0 ? slots : Math.min(slots, this.rate.available(now) - this.asked);
  }

  /** As many as are free, whatever the rate limit says. */
  get slots(): number {
    return Math.min(Math.min(this.settings.concurrency, this.ceiling) - this.running - this.asked, this.load.free);
  }

  /** Nothing of it runs, is on its way or counts against its rate limit. */
  isIdle(now: number): boolean {
    return this.running + this.asked + this.ahead === 0 && (this.rate === undefined || this.rate.available(now) === this.rate.max);
  }

  /** Milliseconds until the rate limit lets something begin; 0 when it does or there is none. */
  rateWaitMs(now: number): number {
    return this.rate?.waitMs(now) ?? 0;
  }

  /** A claim may fill so many slots; with a negative number it is over. */
  ask(slots: number): void {
    this.asked += slots;
    this.load.asked += slots;
  }

  began(now: number): void {
    this.resumed();
    this.rate?.take(now);
  }

  /** What began before has a slot again. */
  resumed(): void {
    this.running++;
    this.load.running++;
  }

  /** `crowded`: no worker had credit for it. */
  ended(crowded: boolean): void {
    this.running--;
    this.load.running--;
    if (crowded) this.ceiling = Math.max(1, Math.min(this.ceiling, this.running));
    else if (this.ceiling < this.settings.concurrency) this.ceiling++;
  }

  /** Which trigger a delivery is for; undefined when the Step has none any more that wants it. */
  triggerOf(kind: QueueDelivery['kind'], message: Pick<ReadDelivery, 'input' | 'outline'>): TriggerRef | undefined {
    if (kind === 'queue' || kind === 'trigger') return this.ownTrigger;
    const subject = subjectOf(kind, message.outline ?? message.input);
    const found = subject && this.triggers.find(({ selector }) => selector !== undefined && selects(selector, subject));
    return found && { type: kind, index: found.index };
  }
}

/**
 * What runs of one Step, over all its subscriptions. Each of them has its own concurrency; together they have the largest of
 * those that the Step's queue triggers ask for.
 */
export class StepLoad {
  /** Deliveries in handlers. */
  running = 0;
  /** Slots that claims under way may fill. */
  asked = 0;
  private consumers: readonly Consumer[] = [];
  private limit = Infinity;

  /** These are the Step's subscriptions now. */
  use(consumers: readonly Consumer[]): void {
    this.consumers = consumers;
    const queues = consumers.filter(({ topic }) => topic !== '');
    this.limit = Math.max(...(queues.length > 0 ? queues : consumers).map(({ settings }) => settings.concurrency));
  }

  get free(): number {
    return this.limit - this.running - this.asked;
  }

  /** All of them, the ones after this one first: a slot that it has freed is theirs before it is its own again. */
  after(consumer: Consumer): readonly Consumer[] {
    if (this.consumers.length < 2) return this.consumers;
    const at = this.consumers.indexOf(consumer) + 1;
    return [...this.consumers.slice(at), ...this.consumers.slice(0, at)];
  }
}

/** One request of a claim. */
export interface Asked {
  readonly consumer: Consumer;
  readonly max: number;
  got: number;
}

/** Whether a delivery came of the request. */
export function isFor(asked: Asked | undefined, { step, topic }: SubscriptionKey): boolean {
  return asked !== undefined && asked.consumer.topic === topic && asked.consumer.step === step;
}

import {
  type Clock, isSampled, type Logger, newSpanId, type QueueAdapter, type QueueDelivery, type StepFailure, type StepHub, type Telemetry, type SubscriptionKey, type Timer, traceIdOf,
  WORKER_CREDITS,
} from '@treadle/api';
import type { Consumer } from './consumer.js';
import type { Consumers } from './consumers.js';
import type { DeliveryLog } from './delivery-log.js';
import { type DeliveryEnd, endOfFailure, released } from './delivery-outcome.js';
import { DeliveryRun, type RunOwner } from './delivery-run.js';
import { prepare } from './prepare-delivery.js';
import type { Attempt, QueueObserver } from './queue-observer.js';
import { RunList } from './run-list.js';
import type { Settler } from './settler.js';
import type { Turn, TurnPart } from './turn.js';

/** How long a claim is good for where several engines share a store. Milliseconds. */
export const LEASE_MS = 60_000;
/** In one turn of the event loop claims go on for so long; what is left waits until others have had theirs. Milliseconds. */
const TURN_MS = 2;
/** After a failed claim it is tried again; milliseconds. */
const RETRY_MS = 1_000;

/** What the dispatcher works with. */
export interface DispatcherParts {
  readonly adapter: Pick<QueueAdapter, 'claimMany'>;
  readonly hub: Pick<StepHub, 'start' | 'cancel' | 'servers'>;
  readonly consumers: Consumers;
  readonly settler: Settler;
  readonly turn: Turn;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly telemetry?: Pick<Telemetry, 'tracing'> | undefined;
  readonly failures?: DeliveryLog | undefined;
}

/** One request of a claim. */
interface Asked {
  readonly consumer: Consumer;
  readonly max: number;
  got: number;
}

/** Claims deliveries where slots are free, starts the handlers and settles what comes of it. */
export class Dispatcher implements TurnPart, RunOwner {
  observer: QueueObserver | undefined;
  private readonly runs = new RunList();
  private readonly timers = new Set<Timer>();
  private listed: Consumer[] = [];
  private planned = false;
  /** When claims of this turn stop; undefined before the first one. */
  private turnEnds: number | undefined;
  private claiming = 0;
  private open = false;
  private idle: (() => void)[] = [];

  constructor(private readonly parts: DispatcherParts) {}

  /** Claims from now on. */
  start(): void {
    this.open = true;
    for (const consumer of this.parts.consumers.all()) this.consider(consumer);
  }

  /** The adapter may have something for the subscription. */
  due({ step, topic }: SubscriptionKey): void {
    const consumer = this.parts.consumers.get(step, topic);
    if (!consumer) return;
    consumer.due = true;
    this.consider(consumer);
  }

  /** Something about the consumer has changed: it may claim more than before. */
  consider(consumer: Consumer): void {
    if (consumer.listed || !consumer.due || !this.open) return;
    consumer.listed = true;
    this.listed.push(consumer);
    if (this.planned) return;
    this.planned = true;
    // Quick handlers end within the turn in which they began: their slots need not stay empty until the next one.
    if (this.turnEnds === undefined || this.parts.clock.monotonic() < this.turnEnds) queueMicrotask(this.claimEarly);
  }

  flush(): void {
    this.turnEnds = undefined;
    this.claimListed();
  }

  ended(run: DeliveryRun, failure: StepFailure | undefined): void {
    const { consumer, delivery, began } = run;
    const { clock, settler } = this.parts;
    this.runs.remove(run);
    consumer.ended(failure?.code === 'overloaded');
    const ms = clock.monotonic() - began;
    if (failure === undefined) {
      settler.add({ action: 'done', claim: delivery });
      this.observer?.delivered('done', ms, run, undefined);
    } else {
      const { settings } = consumer;
      this.settle(endOfFailure(delivery, failure, { settings, now: clock.now(), ms, random: this.parts.random }), ms, run, failure);
    }
    this.freed(consumer);
    this.ifIdle();
  }

  /** Claims no more. Resolves when nothing runs; what still does when the signal aborts is handed back. */
  async drain(signal: AbortSignal): Promise<void> {
    this.open = false;
    const giveUp = (): void => this.cancelAll();
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    if (this.busy) await new Promise<void>((resolve) => void this.idle.push(resolve));
    signal.removeEventListener('abort', giveUp);
  }

  /** Hands back whatever runs. */
  close(): void {
    this.open = false;
    this.cancelAll();
    for (const timer of this.timers) timer.cancel();
    this.timers.clear();
  }

  /** Claims that handlers work on. */
  claims(): readonly QueueDelivery[] {
    return this.runs.all().map(({ delivery }) => delivery);
  }

  /** The store has given these claims to somebody else. */
  lost(deliveries: ReadonlySet<QueueDelivery>): void {
    for (const run of this.runs.all()) if (deliveries.has(run.delivery)) this.parts.hub.cancel(run, 'drain');
  }

  private readonly claimEarly = (): void => {
    if (this.turnEnds === undefined) {
      this.turnEnds = this.parts.clock.monotonic() + TURN_MS;
      this.parts.turn.plan();
    }
    this.claimListed();
  };

  private claimListed(): void {
    const { listed } = this;
    this.planned = false;
    this.listed = [];
    const now = this.parts.clock.monotonic();
    const asked: Asked[] = [];
    for (const consumer of listed) {
      consumer.listed = false;
      const max = this.slots(consumer, now);
      if (max <= 0) continue;
      consumer.due = false;
      consumer.ask(max);
      asked.push({ consumer, max, got: 0 });
    }
    if (asked.length > 0) this.claim(asked);
  }

  private get busy(): boolean {
    return this.runs.size > 0 || this.claiming > 0;
  }

  private slots(consumer: Consumer, now: number): number {
    // More than the workers take would only wait in memory.
    const room = this.parts.hub.servers(consumer.step) * WORKER_CREDITS.delivery - consumer.running - consumer.asked;
    if (!this.open || consumer.paused || consumer.gone || room <= 0) return 0;
    const waitMs = consumer.rateWaitMs(now);
    if (waitMs > 0 && !consumer.waiting) {
      consumer.waiting = true;
      this.later(waitMs, () => {
        consumer.waiting = false;
        this.consider(consumer);
      });
    }
    return Math.min(room, consumer.free(now));
  }

  private claim(asked: readonly Asked[]): void {
    this.claiming++;
    const requests = asked.map(({ consumer: { step, topic }, max }) => ({ step, topic, max }));
    this.parts.adapter.claimMany(requests, LEASE_MS).then(
      (deliveries) => this.claimed(asked, deliveries),
      (error: unknown) => this.refused(asked, error),
    );
  }

  private claimed(asked: readonly Asked[], deliveries: readonly QueueDelivery[]): void {
    this.claiming--;
    const now = this.parts.clock.monotonic();
    for (const { consumer, max } of asked) consumer.ask(-max);
    let one: Asked | undefined;
    for (const delivery of deliveries) {
      if (!isFor(one, delivery)) one = asked.find((other) => isFor(other, delivery));
      // As many as there was room for: there may be more.
      if (one && ++one.got === one.max) one.consumer.due = true;
      this.take(one?.consumer, delivery, now);
    }
    for (const { consumer } of asked) this.freed(consumer);
    this.ifIdle();
  }

  /** Slots of its Step are free again. */
  private freed(consumer: Consumer): void {
    if (!consumer.load.shared) this.consider(consumer);
    else for (const other of consumer.load.after(consumer)) this.consider(other);
  }

  private take(consumer: Consumer | undefined, delivery: QueueDelivery, now: number): void {
    if (!consumer || consumer.gone || consumer.paused || !this.open) {
      this.parts.settler.add(released(delivery).settlement);
      return;
    }
    const prepared = prepare(consumer, delivery, this.parts.clock.now());
    if ('settlement' in prepared) {
      this.settle(prepared, 0, unseen(consumer, delivery, now), prepared.refusal);
      return;
    }
    const traced = this.parts.telemetry?.tracing === true;
    const run = new DeliveryRun(this, { consumer, delivery, trigger: prepared.trigger, input: prepared.input, began: now, traced });
    consumer.began(now);
    this.runs.add(run);
    this.parts.hub.start(run, run);
  }

  private settle(end: DeliveryEnd, ms: number, attempt: Attempt, failure: StepFailure | undefined): void {
    const { outcome, settlement } = end;
    this.parts.settler.add(settlement);
    this.parts.failures?.ended(end, attempt, failure);
    this.observer?.delivered(outcome, ms, attempt, failure);
    if (settlement.action === 'dead') this.observer?.dead(settlement.reason);
  }

  /** Whether something was claimed is not known; if so, the claims end with the engine. */
  private refused(asked: readonly Asked[], error: unknown): void {
    this.claiming--;
    if (this.open) this.parts.log.error('deliveries could not be claimed; it is tried again', { error: String(error) });
    for (const { consumer, max } of asked) {
      consumer.ask(-max);
      consumer.due = true;
    }
    if (this.open) this.later(RETRY_MS, () => asked.forEach(({ consumer }) => this.freed(consumer)));
    this.ifIdle();
  }

  private cancelAll(): void {
    for (const run of this.runs.all()) this.parts.hub.cancel(run, 'drain');
  }

  private later(ms: number, task: () => void): void {
    const timer = this.parts.clock.after(ms, () => {
      this.timers.delete(timer);
      task();
    });
    this.timers.add(timer);
  }

  private ifIdle(): void {
    if (this.idle.length === 0 || this.busy) return;
    const { idle } = this;
    this.idle = [];
    for (const resolve of idle) resolve();
  }
}

/** A delivery that no handler is to see. `began`: milliseconds of the monotonic clock. */
function unseen(consumer: Consumer, delivery: QueueDelivery, began: number): Attempt {
  const { traceparent } = delivery;
  return { consumer, delivery, traceId: traceIdOf(traceparent), spanId: newSpanId(), sampled: isSampled(traceparent), began };
}

function isFor(asked: Asked | undefined, { step, topic }: SubscriptionKey): boolean {
  return asked !== undefined && asked.consumer.topic === topic && asked.consumer.step === step;
}

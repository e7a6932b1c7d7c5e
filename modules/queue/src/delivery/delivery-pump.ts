import { type QueueDelivery, type StepFailure, type SubscriptionKey, WORKER_CREDITS } from '@treadle/api';
import { AtomicDeliveries, type AtomicOwner } from './atomic-deliveries.js';
import { type Asked, type Consumer, isFor } from './consumer.js';
import { DeliveryEnds, type RunEnd } from './delivery-ends.js';
import type { DeliveryPumpParts } from './delivery-pump-parts.js';
import { DeliveryRun, RunList, type RunOwner, unseen } from './delivery-run.js';
import { isLarge, LargeDeliveries, type LargeDelivery, prepare, type PreparedDelivery } from './prepare-delivery.js';
import type { QueueObserver } from '../telemetry/queue-observer.js';
import { Timers } from './timers.js';

/** How long a claim is good for where several engines share a store. Milliseconds. */
export const LEASE_MS = 60_000;
/** After a failed claim it is tried again; milliseconds. */
const RETRY_MS = 1_000;

/** Claims deliveries where slots are free, starts the handlers and settles what comes of it. */
export class DeliveryPump implements RunOwner, AtomicOwner {
  private readonly runs = new RunList();
  private readonly large: LargeDeliveries;
  private readonly atomic: AtomicDeliveries | undefined;
  private readonly ends: DeliveryEnds;
  private readonly timers: Timers;
  private listed: Consumer[] = [];
  private readonly askClaim: () => void;
  private claiming = 0;
  private open = false;
  /** Nobody waits any more for what runs. */
  private givenUp = false;
  private readonly idle: (() => void)[] = [];

  constructor(private readonly parts: DeliveryPumpParts) {
    this.ends = new DeliveryEnds(parts);
    this.timers = new Timers(parts.clock);
    this.large = new LargeDeliveries(() => parts.clock.now());
    this.atomic = parts.commits && new AtomicDeliveries(this, { ...parts, commits: parts.commits });
    this.askClaim = parts.turn.at('claim', () => this.claimListed());
  }

  /** Told of what becomes of deliveries. */
  set observer(observer: QueueObserver | undefined) {
    this.ends.observer = observer;
    if (this.atomic) this.atomic.observer = observer;
  }

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
    // What waits for a slot of it is handed back.
    if (consumer.gone) this.atomic?.slotFree(consumer);
    if (consumer.listed || !consumer.due || !this.open) return;
    consumer.listed = true;
    this.listed.push(consumer);
    this.askClaim();
  }

  ended(run: DeliveryRun, failure: StepFailure | undefined): void {
    this.runs.remove(run);
    if (run.atomic === undefined || !this.atomic) return this.over(run, failure ?? 'done');
    const ahead = failure === undefined && !this.givenUp && this.atomic.mayGoAhead(run);
    if (ahead) run.goAhead();
    this.atomic.ended(run, failure);
    if (this.givenUp) this.letGoAtomic(run, true);
    else if (ahead) this.freed(run.consumer);
  }

  over(run: DeliveryRun, end: RunEnd): void {
    run.leaveSlot(typeof end !== 'string' && end.code === 'overloaded');
    this.ends.of(run, end);
    this.freed(run.consumer);
    this.ifIdle();
  }

  again(run: DeliveryRun): 'begun' | 'returned' | 'no_slot' {
    const { consumer, delivery, trigger } = run;
    if (consumer.gone || consumer.paused || !this.open) {
      this.ends.release(delivery);
      this.letGo(run);
      return 'returned';
    }
    if (!run.hasSlotAgain()) return 'no_slot';
    const message = run.readAgain();
    this.begin(consumer, delivery, { trigger: consumer.triggerOf(delivery.kind, message) ?? trigger, message }, this.parts.clock.monotonic());
    return 'begun';
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

  /** Hands back whatever runs; resolves when nothing does. */
  async close(): Promise<void> {
    this.timers.cancel();
    await this.drain(AbortSignal.abort());
  }

  /** Claims that handlers work on. */
  claims(): readonly QueueDelivery[] {
    return [...this.runs.all(), ...this.large.all(), ...this.atomic?.all() ?? []].map(({ delivery }) => delivery);
  }

  /** The store has given these claims to somebody else. */
  lost(deliveries: ReadonlySet<QueueDelivery>): void {
    for (const run of this.runs.all()) if (deliveries.has(run.delivery)) this.parts.invoker.cancel(run, 'drain');
    for (const large of this.large.all()) if (deliveries.has(large.delivery)) this.letGoLarge(large);
    for (const run of this.atomic?.all() ?? []) if (deliveries.has(run.delivery)) this.letGoAtomic(run, false);
  }

  private claimListed(): void {
    const { listed } = this;
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
    return this.runs.size > 0 || this.claiming > 0 || this.large.size > 0 || (this.atomic?.size ?? 0) > 0;
  }

  private slots(consumer: Consumer, now: number): number {
    // More than the workers take would only wait in memory.
    const room = this.parts.invoker.servers(consumer.step) * WORKER_CREDITS.delivery - consumer.running - consumer.asked;
    if (!this.open || consumer.paused || consumer.gone || room <= 0) return 0;
    const waitMs = consumer.rateWaitMs(now);
    if (waitMs > 0 && now + waitMs < consumer.wakesAt - 1) {
      consumer.wakesAt = now + waitMs;
      this.timers.later(waitMs, () => {
        consumer.wakesAt = Infinity;
        this.consider(consumer);
      });
    }
    return Math.min(room, consumer.free(now));
  }

  private claim(asked: readonly Asked[]): void {
    this.claiming++;
    const at = this.parts.clock.monotonic();
    const requests = asked.map(({ consumer: { step, topic, settings: { total } }, max }) => ({ step, topic, max, total }));
    this.parts.adapter.claimMany(requests, LEASE_MS).then(
      (deliveries) => this.claimed(asked, deliveries, at),
      (error: unknown) => this.refused(asked, error),
    );
  }

  private claimed(asked: readonly Asked[], deliveries: readonly QueueDelivery[], at: number): void {
    this.claiming--;
    const now = this.parts.clock.monotonic();
    const isGood = now - at <= this.parts.claimGoodMs;
    for (const { consumer, max } of asked) consumer.ask(-max);
    let one: Asked | undefined;
    for (const delivery of deliveries) {
      if (!isFor(one, delivery)) one = asked.find((other) => isFor(other, delivery));
      // As many as there was room for: there may be more.
      if (one && ++one.got === one.max) one.consumer.due = true;
      this.take(isGood ? one?.consumer : undefined, delivery, now);
    }
    for (const { consumer } of asked) this.freed(consumer);
    this.ifIdle();
  }

  /** Slots of its Step are free again: what is to run again goes before what is claimed next. */
  private freed(consumer: Consumer): void {
    for (const other of consumer.load.after(consumer)) {
      this.atomic?.slotFree(other);
      this.consider(other);
    }
  }

  private take(consumer: Consumer | undefined, delivery: QueueDelivery, now: number): void {
    if (!consumer || consumer.gone || consumer.paused || !this.open) {
      this.ends.release(delivery);
      return;
    }
    if (isLarge(delivery)) {
      this.takeLarge(consumer, delivery, now);
      return;
    }
    const prepared = prepare(consumer, delivery, this.parts.clock.now());
    if ('settlement' in prepared) {
      this.ends.settle(prepared, 0, unseen(consumer, delivery, now), prepared.refusal);
      return;
    }
    consumer.began(now);
    this.begin(consumer, delivery, prepared, now);
  }

  /** It has its slot while it is read and checked elsewhere. */
  private takeLarge(consumer: Consumer, delivery: QueueDelivery, now: number): void {
    const large = { consumer, delivery, began: now };
    consumer.began(now);
    this.large.prepare(large, (prepared) => {
      if (!('settlement' in prepared) && !consumer.gone && !consumer.paused && this.open) {
        this.begin(consumer, delivery, prepared, now);
        return;
      }
      if ('settlement' in prepared) this.ends.settle(prepared, this.parts.clock.monotonic() - now, unseen(consumer, delivery, now), prepared.refusal);
      else this.ends.release(delivery);
      this.letGoLarge(large);
    });
  }

  /** No handler is to see it, or none in this engine. */
  private letGoLarge(large: LargeDelivery): void {
    this.large.giveUp(large);
    large.consumer.ended(false);
    this.freed(large.consumer);
    this.ifIdle();
  }

  /** Its handler has ended; whether it is committed is not waited for. */
  private letGoAtomic(run: DeliveryRun, returned: boolean): void {
    if (!this.atomic?.giveUp(run)) return;
    if (returned && run.atomic?.committing !== true) this.handBack(run);
    this.letGo(run);
  }

  handBack({ delivery }: DeliveryRun): void {
    this.ends.release(delivery);
  }

  private letGo(run: DeliveryRun): void {
    run.leaveSlot(false);
    this.freed(run.consumer);
    this.ifIdle();
  }

  private begin(consumer: Consumer, delivery: QueueDelivery, { trigger, message }: PreparedDelivery, began: number): void {
    const traced = this.parts.telemetry?.tracing === true;
    const run = new DeliveryRun(this, { consumer, delivery, trigger, message, began, traced });
    this.runs.add(run);
    this.parts.invoker.start(run, run);
  }

  /** Whether something was claimed is not known; if so, the claims end with the engine. */
  private refused(asked: readonly Asked[], error: unknown): void {
    this.claiming--;
    if (this.open) this.parts.log.error('deliveries could not be claimed; it is tried again', { error: String(error) });
    for (const { consumer, max } of asked) {
      consumer.ask(-max);
      consumer.due = true;
    }
    if (this.open) this.timers.later(RETRY_MS, () => asked.forEach(({ consumer }) => this.freed(consumer)));
    this.ifIdle();
  }

  private cancelAll(): void {
    this.givenUp = true;
    for (const run of this.runs.all()) this.parts.invoker.cancel(run, 'drain');
    for (const large of this.large.all()) {
      this.ends.release(large.delivery);
      this.letGoLarge(large);
    }
    for (const run of this.atomic?.all() ?? []) this.letGoAtomic(run, true);
  }

  private ifIdle(): void {
    if (this.idle.length === 0 || this.busy) return;
    for (const resolve of this.idle.splice(0)) resolve();
  }
}

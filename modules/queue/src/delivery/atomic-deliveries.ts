import { type Clock, type CommitOutcome, type QueueDelivery, StepFailure, type Timer } from '@treadle/api';
import type { CommitWriter } from './commit-writer.js';
import type { Consumer } from './consumer.js';
import type { RunEnd } from './delivery-ends.js';
import type { DeliveryRun } from './delivery-run.js';
import { full } from '../publishing/publisher.js';
import type { QueueObserver } from '../telemetry/queue-observer.js';

/** Runs of one delivery that may come too late, before that counts as a failed attempt. */
export const MOST_CONFLICTS = 20;
/** From so many on there is a pause before the next run, which grows up to a second; milliseconds. */
const PAUSE_FROM = 5;
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 1_000;
/** Runs that have left their slots and are not committed, for each slot. */
const AHEAD = 4;
/** So many runs of a consumer keep their slots until they are committed, after one that came too late. */
const CAREFUL_RUNS = 1_000;

/** What becomes of an atomic run is carried out by the pump. */
export interface AtomicOwner {
  /** It has ended: with the commit of its delivery, or with a failure that decides what becomes of that. */
  over(run: DeliveryRun, end: RunEnd): void;
  /** Runs the handler again, in the slot that the run has or in a free one. `returned`: that cannot be; the delivery was handed back. */
  again(run: DeliveryRun): 'begun' | 'returned' | 'no_slot';
  /** It was given up with its commit on the way, and that was not carried out. */
  handBack(run: DeliveryRun): void;
}

/** What they work with. */
export interface AtomicDeliveriesParts {
  readonly commits: CommitWriter;
  readonly clock: Clock;
  readonly random: () => number;
  /** Most messages that wait in one subscription. */
  readonly maxWaiting: () => number;
}

/**
 * Atomic deliveries whose handler has ended: they are committed, and run again when somebody else has changed what they read or wrote. Those of a
 * consumer are run again one after the other: together they would go on getting in each other's way.
 */
export class AtomicDeliveries {
  observer: QueueObserver | undefined;
  /** Ended, and not over. */
  private readonly held = new Set<DeliveryRun>();
  private readonly conflicts = new WeakMap<QueueDelivery, number>();
  private readonly waiting = new Map<Consumer, DeliveryRun[]>();
  /** What is being run again, or is about to be. */
  private readonly repeating = new Map<Consumer, { readonly delivery: QueueDelivery; timer?: Timer | undefined; wantsSlot?: DeliveryRun | undefined }>();

  constructor(private readonly owner: AtomicOwner, private readonly parts: AtomicDeliveriesParts) {}

  get size(): number {
    return this.held.size;
  }

  all(): readonly DeliveryRun[] {
    return [...this.held];
  }

  /**
   * Whether the next handler may begin before this run is committed, as it may before another delivery is settled. Not where deliveries get in each
   * other's way, nor where one is to run at a time: it would read what this run is about to change.
   */
  mayGoAhead({ consumer }: DeliveryRun): boolean {
    const { concurrency } = consumer.settings;
    return concurrency > 1 && consumer.careful === 0 && consumer.ahead < AHEAD * concurrency;
  }

  /** A slot of the consumer is free. */
  slotFree(consumer: Consumer): void {
    const run = this.repeating.get(consumer)?.wantsSlot;
    if (run) this.again(run);
  }

  /** The handler of an atomic run has ended. */
  ended(run: DeliveryRun, failure: StepFailure | undefined): void {
    this.held.add(run);
    run.atomic?.end(() => this.decide(run, failure));
  }

  /** It is not waited for any more: what is on its way to the store may be carried out, and nothing is run again. False: it was not waited for. */
  giveUp(run: DeliveryRun): boolean {
    const had = this.held.has(run);
    if (had) this.leave(run);
    return had;
  }

  private decide(run: DeliveryRun, failure: StepFailure | undefined): void {
    if (!this.held.has(run) || !run.atomic) return;
    // It may well have failed by what it read.
    if (run.atomic.conflicted && (failure === undefined || failure.code === 'unhandled_exception')) this.conflict(run);
    else if (failure) this.over(run, failure);
    else if (!run.atomic.touched) this.over(run, 'done');
    else {
      run.atomic.committing = true;
      this.parts.commits.add({ commit: run.atomic.commitOf(run.delivery), answered: (outcome) => this.answered(run, outcome) });
    }
  }

  private answered(run: DeliveryRun, outcome: CommitOutcome): void {
    if (run.atomic) run.atomic.committing = false;
    if (outcome.ok) run.atomic?.committed();
    if (!this.held.has(run)) {
      if (!outcome.ok && outcome.why !== 'void') this.owner.handBack(run);
    } else if (outcome.ok) {
      run.consumer.careful = Math.max(0, run.consumer.careful - 1);
      this.over(run, 'committed');
    } else if (outcome.why === 'void') this.over(run, 'void');
    else if (outcome.why === 'conflict') this.conflict(run);
    else this.over(run, failed(full(outcome.full, this.parts.maxWaiting())));
  }

  private conflict(run: DeliveryRun): void {
    const { delivery, consumer } = run;
    const count = (this.conflicts.get(delivery) ?? 0) + 1;
    this.conflicts.set(delivery, count);
    this.observer?.conflicted(run);
    consumer.careful = CAREFUL_RUNS;
    if (count >= MOST_CONFLICTS) {
      this.conflicts.delete(delivery);
      this.over(run, failed(new Error(`what the handler read was changed by others in each of ${MOST_CONFLICTS} runs; let fewer deliveries run at a time, or give messages of one key one messageGroupId of a fifo trigger`)));
      return;
    }
    this.waiting.set(consumer, [...this.waiting.get(consumer) ?? [], run]);
    if (this.repeating.get(consumer)?.delivery === delivery) this.repeating.delete(consumer);
    this.giveWay(consumer);
    this.next(consumer);
  }

  /** What has left its slot and finds none free would wait for those that wait for it in theirs: one of them goes first. */
  private giveWay(consumer: Consumer): void {
    const stuck = this.repeating.get(consumer)?.wantsSlot;
    const waiting = this.waiting.get(consumer) ?? [];
    if (!stuck || !waiting.some(({ hasSlot }) => hasSlot)) return;
    this.repeating.delete(consumer);
    this.waiting.set(consumer, [...waiting, stuck]);
    this.next(consumer);
  }

  private next(consumer: Consumer): void {
    const waiting = this.waiting.get(consumer) ?? [];
    const run = waiting.find(({ hasSlot }) => hasSlot) ?? waiting[0];
    if (!run || this.repeating.has(consumer)) return;
    if (waiting.length > 1) this.waiting.set(consumer, waiting.filter((other) => other !== run));
    else this.waiting.delete(consumer);
    const count = this.conflicts.get(run.delivery) ?? 0;
    const pauseMs = count < PAUSE_FROM ? 0 : this.parts.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (count - PAUSE_FROM));
    const timer = pauseMs > 0 ? this.parts.clock.after(Math.ceil(pauseMs), () => this.again(run)) : undefined;
    this.repeating.set(consumer, { delivery: run.delivery, timer });
    if (!timer) this.again(run);
  }

  private again(run: DeliveryRun): void {
    const repeated = this.repeating.get(run.consumer);
    if (repeated) repeated.wantsSlot = undefined;
    // Whoever waits for the last one is told by the owner.
    this.held.delete(run);
    const begun = this.owner.again(run);
    if (begun === 'no_slot') {
      this.held.add(run);
      if (repeated) repeated.wantsSlot = run;
      this.giveWay(run.consumer);
      return;
    }
    if (begun === 'returned') this.freed(run);
  }

  private over(run: DeliveryRun, end: RunEnd): void {
    this.leave(run);
    this.owner.over(run, end);
  }

  private leave(run: DeliveryRun): void {
    this.held.delete(run);
    const waiting = this.waiting.get(run.consumer);
    const left = waiting?.filter((other) => other !== run) ?? [];
    if (left.length > 0) this.waiting.set(run.consumer, left);
    else if (waiting) this.waiting.delete(run.consumer);
    this.freed(run);
  }

  private freed({ consumer, delivery }: DeliveryRun): void {
    const repeated = this.repeating.get(consumer);
    if (repeated?.delivery !== delivery) return;
    repeated.timer?.cancel();
    this.repeating.delete(consumer);
    this.next(consumer);
  }
}

const failed = ({ message }: Error): StepFailure => new StepFailure('unhandled_exception', message, { errorName: 'OperationError' });

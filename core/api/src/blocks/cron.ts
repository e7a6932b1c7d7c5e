import type { Lifecycle } from '../lifecycle.js';
import { slot } from '../slot.js';
import type { StepId } from '../step-record.js';
import type { Unsubscribe } from '../unsubscribe.js';
import type { TransferableAdapter } from './transfer.js';

/** A cron trigger of a Step. `trigger` identifies it within the Step and changes with its expression and zone. */
export interface CronKey {
  readonly step: StepId;
  readonly trigger: string;
}

/** A tick of a trigger: there is at most one run of it, whoever shares the store. */
export interface CronTick extends CronKey {
  /** Milliseconds since the epoch. Where a clock was put back the same second comes again: its tick is some milliseconds later, and another one. */
  readonly scheduledAt: number;
}

/** How a run stands, or ended. */
export type CronRunStatus =
  | 'running' | 'succeeded'
  /** The handler threw, or took too long. */
  | 'failed'
  /** Not run: the one before was still running, the tick was missed, too many wait already, which `error` says, or somebody wanted it so; then it is `manual`, and `error` says who. */
  | 'skipped'
  /** Cut five times by the end of its worker or engine. */
  | 'abandoned';

/** The record of a tick. */
export interface CronRun extends CronTick {
  /** Unique in the store. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly firedAt: number;
  /** From 1; one more each time that the run was cut and began again. While its handler has not begun it has one less. */
  readonly attempt: number;
  /** Someone asked for it; then `scheduledAt` is that moment, or the tick that they let be skipped. */
  readonly manual: boolean;
  readonly missed: boolean;
  readonly status: CronRunStatus;
  readonly durationMs?: number | undefined;
  readonly traceId: string;
  readonly error?: string | undefined;
}

/** What is known of a trigger apart from its runs. */
export interface CronSchedule extends CronKey {
  /** When a store first saw it, or when it was last resumed, see `setPaused`: ticks before it were not missed. Milliseconds since the epoch. */
  readonly since: number;
  /** It is, or was until `pausedUntil`: a pause that is over stays until the next one. */
  readonly paused: boolean;
  /** The first tick from this moment on is none of the pause; absent: it ends when somebody ends it. Milliseconds since the epoch. */
  readonly pausedUntil?: number | undefined;
  /** `scheduledAt` of the newest tick that has a record and was not manual. */
  readonly lastTick?: number | undefined;
}

/** When a run is not to be written although its tick has no record. */
export interface CronClaimRule {
  /**
   * Not while the trigger has a run with status `running`, whoever holds it; the decision and the writing are one. A record that is
   * not `running` itself overlaps nothing.
   */
  readonly unlessRunning: boolean;
}

/** What became of a claim. `taken`: the tick has, or had, a record. `paused`: the trigger is paused for this tick, and the run is not manual. The first that applies counts. */
export type CronClaimed = 'claimed' | 'taken' | 'paused' | 'overlaps';

/** Keeps ticks and their runs. A promise that resolves means durable under the adapter's declaration. */
export interface CronAdapter extends Lifecycle, TransferableAdapter {
  /** Adds triggers that are new, with `now` as `since`, and gives what is known of each, in the same order. */
  schedules(keys: readonly CronKey[], now: number): Promise<readonly CronSchedule[]>;
  /**
   * `now` becomes `since` when a paused trigger is resumed. If the pause was over by then, ticks from its end on are none of it: the millisecond
   * before `pausedUntil` becomes `since`, unless `since` is later. `until`: see `CronSchedule.pausedUntil`; only with `paused`.
   */
  setPaused(key: CronKey, paused: boolean, now: number, until?: number): Promise<void>;
  /**
   * Writes runs whose tick has no record yet and never had one, of triggers that are not paused for them, one after another; says of each what became
   * of it. The caller holds a `running` one until it finishes it, does not renew it within `leaseMs`, or is gone.
   * @param rule default: runs may overlap
   */
  claim(runs: readonly CronRun[], leaseMs: number, rule?: CronClaimRule): Promise<readonly CronClaimed[]>;
  /** Runs with status `running` that nobody holds: their engine is gone. Of each trigger the oldest tick first. */
  orphans(): Promise<readonly CronRun[]>;
  /** Takes an orphan with `attempt` + 1; undefined when it is held, ended, or on another attempt by now. */
  takeOver(run: CronRun, leaseMs: number): Promise<CronRun | undefined>;
  /** Lengthens the leases of runs that the caller holds, also where they are over and nobody has taken the run since. Gives the ids of those: another engine may have the rest. */
  renew(ids: readonly string[], leaseMs: number): Promise<readonly string[]>;
  /** Runs of a trigger with status `running`, whoever holds them, oldest tick first. */
  running(key: CronKey): Promise<readonly CronRun[]>;
  /** Ends runs that the caller holds, or gives them back as orphans with status `running`; passes over those that it does not hold. */
  finish(runs: readonly CronRun[]): Promise<void>;
  /** Newest first. Of each trigger at least the last 100 are kept; a tick that somebody lets be skipped counts from when it comes. */
  runs(key: CronKey, limit: number): Promise<readonly CronRun[]>;
  /** Present on an adapter for several engines. */
  readonly shared?: SharedCron;
}

/** What several engines on one store have in common beside the records. */
export interface SharedCron {
  /** The store's time of day, as well as it is known; ticks go by it. Milliseconds since the epoch. */
  now(): number;
  /** Called when another engine has paused or resumed triggers, and after a time in which that could not be known; perhaps too often. */
  onSchedules(listener: () => void): Unsubscribe;
}

/** What an adapter of the slot `cron` can do. */
export interface CronCapabilities {
  /** Survives the end of the engine. */
  readonly durable: boolean;
  /** Several engines may share the store. */
  readonly multiEngine: boolean;
}

/** Where ticks and runs are kept. */
export const CronSlot = slot<CronAdapter, CronCapabilities>('cron');

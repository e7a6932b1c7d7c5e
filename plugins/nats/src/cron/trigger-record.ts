import type { CronKey, CronRun } from '@treadle/api';
import type { TickSpan } from './forgotten-ticks.js';

/** A run in the record of its trigger, which has the names. */
export interface RecordedRun extends Omit<CronRun, keyof CronKey> {
  /** Which adapter has it, and when its lease is over by the store's time; only of one that is running. */
  readonly held?: { readonly by: string; readonly until: number };
}

/** All that is known of a trigger: one message, which only the one replaces who has seen it. */
export interface TriggerRecord {
  readonly since?: number;
  readonly paused: boolean;
  /** Only of a pause that ends by itself. */
  readonly pausedUntil?: number;
  readonly lastTick?: number;
  /** In the order in which they were written. */
  readonly runs: readonly RecordedRun[];
  readonly forgotten: readonly TickSpan[];
}

export const NO_RECORD: TriggerRecord = { paused: false, runs: [], forgotten: [] };

export const isRunning = ({ status }: Pick<CronRun, 'status'>): boolean => status === 'running';

/** Nobody holds it any more. */
export function isFree({ held }: RecordedRun, now: number): boolean {
  return held === undefined || held.until <= now;
}

/** The run as callers see it. */
export function runOf({ step, trigger }: CronKey, { held: _held, ...run }: RecordedRun): CronRun {
  return { step, trigger, ...run };
}

/** The record with other runs in place of some; undefined where none of them is another one. */
export function withRuns(record: TriggerRecord, replace: (run: RecordedRun) => RecordedRun): TriggerRecord | undefined {
  const runs = record.runs.map(replace);
  return runs.every((run, index) => run === record.runs[index]) ? undefined : { ...record, runs };
}

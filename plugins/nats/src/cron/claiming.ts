import type { CronClaimed, CronClaimRule, CronRun } from '@treadle/api';
import { isForgotten, withForgotten } from './forgotten-ticks.js';
import { isRunning, type RecordedRun, type TriggerRecord } from './trigger-record.js';

/** Runs of a trigger that are kept. */
const KEPT_RUNS = 100;

/** A record after claims, and what became of each. */
export interface Claims {
  readonly record: TriggerRecord;
  readonly outcomes: readonly CronClaimed[];
}

/** Writes runs of one trigger into its record, one after another. @param held whose they are while they are running */
export function claim(before: TriggerRecord, runs: readonly CronRun[], held: Required<RecordedRun>['held'], rule: CronClaimRule): Claims {
  let record = before;
  const outcomes = runs.map((run): CronClaimed => {
    const refusal = refusalOf(record, run, rule);
    if (refusal === undefined) record = withRun(record, run, held);
    return refusal ?? 'claimed';
  });
  return { record, outcomes };
}

function refusalOf({ runs, forgotten, paused, pausedUntil = Infinity }: TriggerRecord, run: CronRun, { unlessRunning }: CronClaimRule): CronClaimed | undefined {
  const { scheduledAt, id, manual } = run;
  if (runs.some((known) => known.scheduledAt === scheduledAt || known.id === id)) return 'taken';
  if (!manual && isForgotten(forgotten, scheduledAt)) return 'taken';
  if (!manual && paused && scheduledAt < pausedUntil) return 'paused';
  return unlessRunning && isRunning(run) && runs.some(isRunning) ? 'overlaps' : undefined;
}

function withRun(record: TriggerRecord, { step: _step, trigger: _trigger, ...run }: CronRun, held: Required<RecordedRun>['held']): TriggerRecord {
  const { scheduledAt, manual } = run;
  const written: RecordedRun = isRunning(run) ? { ...run, held } : run;
  const known = manual ? record : { ...record, since: record.since ?? scheduledAt, lastTick: Math.max(record.lastTick ?? scheduledAt, scheduledAt) };
  return shortened({ ...known, runs: [...record.runs, written] });
}

/** Forgets what ended before the last runs. */
function shortened(record: TriggerRecord): TriggerRecord {
  const superfluous = record.runs.slice(0, -KEPT_RUNS);
  const { firedAt = 0 } = superfluous.at(-1) ?? {};
  const gone = new Set(superfluous.filter((run) => !isRunning(run) && !(isSkipped(run) && run.scheduledAt > firedAt)));
  if (gone.size === 0) return record;
  const ticks = [...gone].filter((run) => !run.manual || isSkipped(run));
  return {
    ...record, runs: record.runs.filter((run) => !gone.has(run)),
    forgotten: ticks.reduce((spans, { scheduledAt, manual, missed }) => withForgotten(spans, scheduledAt, manual || missed), record.forgotten),
  };
}

/** Somebody lets it be skipped: it was written before its tick came, and counts from then on. */
function isSkipped({ manual, status }: RecordedRun): boolean {
  return manual && status === 'skipped';
}

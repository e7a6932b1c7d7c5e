import { plain, time } from '../admin/show.js';
import { count, formatTable } from '../terminal/table.js';

/** One run of a trigger. */
export interface CronRun {
  readonly step?: string;
  readonly scheduledAt: string;
  readonly firedAt: string;
  readonly status: string;
  /** Started by hand. */
  readonly manual?: boolean;
  /** Nobody was there when its tick came. */
  readonly missed?: boolean;
  readonly attempt?: number;
  readonly durationMs?: number;
  readonly traceId?: string;
  /** Why it failed or was abandoned. */
  readonly error?: string;
}

/** A cron trigger as the admin API shows it. */
export interface CronTrigger {
  readonly step: string;
  readonly trigger: string;
  readonly expression: string;
  readonly timezone: string;
  readonly paused: boolean;
  /** When the pause ends by itself. */
  readonly pausedUntil?: string;
  readonly nextAt: string | null;
  /** Ticks to come that are skipped, the next one first. */
  readonly skipped?: readonly { readonly at: string; readonly why: string }[];
  readonly lastRun?: CronRun;
  /** Missed ticks that were more than are caught up, when that happened last in this run of the engine; counted up to 10,000. */
  readonly dropped?: { readonly ticks: number; readonly at: string };
}

export interface CronListing {
  readonly items: readonly CronTrigger[];
}

/** All triggers; times are UTC. */
export function formatTriggers({ items: triggers }: CronListing): string {
  if (triggers.length === 0) return 'No Step has a cron trigger.';
  const rows = triggers.map(({ step, trigger, expression, timezone, paused, pausedUntil, nextAt, lastRun }) => [
    step, trigger, expression, timezone, paused ? `paused${pausedUntil === undefined ? '' : ` until ${time(pausedUntil)}`}` : 'active', time(nextAt), lastRunText(lastRun),
  ]);
  const notes = triggers.flatMap((one) => [...skippedLines(one), ...droppedLines(one)]).join('');
  return `${formatTable([['STEP', 'TRIGGER', 'EXPRESSION', 'ZONE', 'STATE', 'NEXT', 'LAST RUN'], ...rows])}\n${count(triggers.length, 'trigger')}.${notes}`;
}

/** Runs, the newest first, with their Steps where they are of several; times are UTC. */
export function formatRuns(runs: readonly CronRun[], ofSeveral: boolean): string {
  if (runs.length === 0) return ofSeveral ? 'Nothing has run yet.' : 'It has not run yet.';
  const rows = runs.map(({ step = '', scheduledAt, manual, missed, status, attempt = 1, durationMs, traceId = '-', error = '' }) => [
    ...ofSeveral ? [step] : [], time(scheduledAt), reason(manual, missed), status, String(attempt), durationMs === undefined ? '-' : `${durationMs} ms`, traceId,
    plain(error.split('\n')[0] ?? ''),
  ]);
  const head = [...ofSeveral ? ['STEP'] : [], 'SCHEDULED', 'WHY', 'STATUS', 'ATTEMPT', 'TOOK', 'TRACE', 'ERROR'];
  return `${formatTable([head, ...rows])}\n${count(runs.length, 'run')}.`;
}

function skippedLines({ step, trigger, skipped = [] }: CronTrigger): readonly string[] {
  return skipped.map(({ at, why }) => `\n${step} (${trigger}): ${time(at)} is ${plain(why)}`);
}

function droppedLines({ step, trigger, dropped }: CronTrigger): readonly string[] {
  return dropped ? [`\n${step} (${trigger}): ${count(dropped.ticks, 'missed tick')} dropped at ${time(dropped.at)}, beyond the 100 that were caught up`] : [];
}

function reason(manual = false, missed = false): string {
  if (manual) return 'by hand';
  return missed ? 'missed tick' : 'tick';
}

function lastRunText(run: CronRun | undefined): string {
  if (!run) return '-';
  return [run.status, time(run.scheduledAt), ...run.durationMs === undefined ? [] : [`${run.durationMs} ms`]].join(', ');
}

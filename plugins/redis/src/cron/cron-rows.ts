import { type CronKey, type CronRun, type CronRunStatus, decodeKey, encodeKey } from '@treadle/api';

/** A run as scripts take and give it: `RUN_FIELDS`. Empty: there is none; an error comes behind 'e'. */
export type RunRow = readonly string[];

export function rowOf(run: CronRun): RunRow {
  const { step, trigger, id, scheduledAt, firedAt, attempt, manual, missed, status, durationMs, traceId } = run;
  return [
    encodeKey(step), encodeKey(trigger), id, String(scheduledAt), String(Math.round(firedAt)), String(attempt), flag(manual), flag(missed), status,
    durationMs === undefined ? '' : String(durationMs), traceId, errorOf(run),
  ];
}

export function runOf(row: RunRow): CronRun {
  const [step = '', trigger = '', id = '', tick, fired, attempt, manual, missed, status, duration = '', traceId = '', error = ''] = row;
  return {
    id, step: decodeKey(step), trigger: decodeKey(trigger), scheduledAt: Number(tick), firedAt: Number(fired), attempt: Number(attempt), manual: manual === '1',
    missed: missed === '1', status: status as CronRunStatus, traceId, ...duration !== '' && { durationMs: Number(duration) },
    ...error !== '' && { error: decodeKey(error.slice(1)) },
  };
}

/** What `FINISH` takes of a run. */
export function endOf(run: CronRun): RunRow {
  const { id, status, attempt, firedAt, durationMs } = run;
  return [id, status, String(attempt), String(Math.round(firedAt)), durationMs === undefined ? '' : String(durationMs), errorOf(run)];
}

/** The name of a trigger in the store. */
export function triggerName({ step, trigger }: CronKey): string {
  return `${encodeKey(step)}\0${encodeKey(trigger)}`;
}

function errorOf({ error }: CronRun): string {
  return error === undefined ? '' : `e${encodeKey(error)}`;
}

function flag(value: boolean): string {
  return value ? '1' : '0';
}

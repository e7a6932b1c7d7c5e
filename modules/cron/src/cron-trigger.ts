import type { ConfigSchema, TriggerIssue, TriggerKindSpec, TriggerRecord } from '@treadle/api';
import { normalized, parseExpression } from './schedule/cron-expression.js';
import { CronSyntaxError } from './schedule/field-set.js';
import { TimeZone } from './schedule/time-zone.js';

const DAY_MS = 86_400_000;

/** What becomes of ticks that nobody ran. */
export type MissedRule = 'skip' | 'latest' | 'all';
/** What becomes of a tick while the run before it still goes on. */
export type OverlapRule = 'skip' | 'queue' | 'allow';

/** A cron trigger after its check; functions have become `true`. */
export interface CronTrigger extends TriggerRecord {
  readonly type: 'cron';
  readonly expression: string;
  readonly timezone?: string;
  readonly missed?: MissedRule;
  readonly catchUpWindowMs?: number;
  readonly overlap?: OverlapRule;
  readonly timeoutMs?: number;
}

/** Values of what a trigger does not write. */
export const CRON_DEFAULTS = {
  timezone: 'UTC', missed: 'latest', catchUpWindowMs: 3_600_000, overlap: 'skip', timeoutMs: 300_000,
} as const;

const TRIGGER_SCHEMA: ConfigSchema<CronTrigger> = {
  type: 'object',
  additionalProperties: false,
  required: ['expression'],
  properties: {
    expression: { type: 'string', minLength: 1, description: '5 fields, 6 with seconds, 7 with seconds and year, or @daily and its like' },
    timezone: { type: 'string', minLength: 1, maxLength: 100, default: CRON_DEFAULTS.timezone, description: 'IANA name of the time zone' },
    missed: {
      type: 'string', enum: ['skip', 'latest', 'all'], default: CRON_DEFAULTS.missed,
      description: 'Ticks that nobody ran, e.g. while the engine was stopped: none is caught up, the latest one, or all (the last 100)',
    },
    catchUpWindowMs: {
      type: 'integer', minimum: 0, maximum: 366 * DAY_MS, 'x-unit': 'ms', default: CRON_DEFAULTS.catchUpWindowMs,
      description: 'How old a tick may be to be caught up; with missed: all there is no limit unless it is written',
    },
    overlap: {
      type: 'string', enum: ['skip', 'queue', 'allow'], default: CRON_DEFAULTS.overlap,
      description: 'A tick while the last run still goes on: left out, run after it (one at most waits), or run beside it',
    },
    timeoutMs: { type: 'integer', minimum: 100, maximum: DAY_MS, 'x-unit': 'ms', default: CRON_DEFAULTS.timeoutMs, description: 'Time limit of the handler' },
  },
};

/** The trigger kind `cron`. */
export const CRON_TRIGGER_KIND: TriggerKindSpec = {
  type: 'cron',
  summary: 'Starts the handler at the times of a cron expression',
  schema: TRIGGER_SCHEMA,
  validate: cronTriggerIssues,
  label: (trigger) => {
    const { expression, timezone = CRON_DEFAULTS.timezone } = trigger as CronTrigger;
    return `cron ${expression} ${timezone}`;
  },
};

/** What is wrong with a cron trigger beyond its schema. */
export function cronTriggerIssues(trigger: TriggerRecord): readonly TriggerIssue[] {
  const { expression, timezone = CRON_DEFAULTS.timezone } = trigger as CronTrigger;
  return [...expressionIssues(expression), ...zoneIssues(timezone)];
}

/** Identifies a trigger within its Step; changes with expression and zone. */
export function triggerIdOf({ expression, timezone = CRON_DEFAULTS.timezone }: CronTrigger): string {
  return `${normalized(expression)} ${timezone}`;
}

function expressionIssues(expression: string): TriggerIssue[] {
  try {
    parseExpression(expression);
    return [];
  } catch (error) {
    if (!(error instanceof CronSyntaxError)) throw error;
    return [{ key: 'expression', code: 'STEP_BAD_CRON', message: error.message, remedy: error.remedy }];
  }
}

function zoneIssues(timezone: string): TriggerIssue[] {
  try {
    TimeZone.of(timezone);
    return [];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [{
      key: 'timezone', code: 'STEP_BAD_TIMEZONE', message: `"${timezone}" is not a time zone that is known here`,
      remedy: 'write an IANA name such as Europe/Berlin, or UTC',
    }];
  }
}

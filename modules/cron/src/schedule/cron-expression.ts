import { CronSyntaxError, type FieldRange, type FieldSet, nextIn, parseField } from './field-set.js';

/** Longest expression that is read. */
export const MAX_EXPRESSION_LENGTH = 512;

/** An expression as sets of values. */
export interface CronExpression {
  readonly seconds: FieldSet;
  readonly minutes: FieldSet;
  readonly hours: FieldSet;
  readonly days: FieldSet;
  readonly months: FieldSet;
  /** 0 and 7 are Sunday; both are in the set or neither is. */
  readonly weekdays: FieldSet;
  /** Undefined: every year. */
  readonly years: FieldSet | undefined;
  /** A day has to be in both sets rather than in either: one of them begins with `*`. */
  readonly bothDays: boolean;
  /** Every hour has ticks, so one that is left out by the clocks is not missed. */
  readonly everyHour: boolean;
  /** Times of day rather than intervals: none of hours, minutes and seconds begins with `*`. They happen once when the clocks repeat an hour. */
  readonly fixed: boolean;
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

const SECOND: FieldRange = { name: 'second', min: 0, max: 59 };
const MINUTE: FieldRange = { name: 'minute', min: 0, max: 59 };
const HOUR: FieldRange = { name: 'hour', min: 0, max: 23 };
const DAY: FieldRange = { name: 'day of month', min: 1, max: 31, question: true };
const MONTH: FieldRange = { name: 'month', min: 1, max: 12, names: MONTHS };
const WEEKDAY: FieldRange = { name: 'day of week', min: 0, max: 7, names: WEEKDAYS, question: true };

const YEAR: FieldRange = { name: 'year', min: 1970, max: 2099 };

const NICKNAMES: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *', '@annually': '0 0 1 1 *', '@monthly': '0 0 1 * *', '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *', '@midnight': '0 0 * * *', '@hourly': '0 * * * *',
};
const FORM = 'minute hour day-of-month month day-of-week, with seconds before them if wanted, and then a year after them if wanted';

/**
 * Reads an expression of 5 fields, of 6 with seconds, of 7 with seconds and year, or a nickname such as `@daily`.
 * @throws CronSyntaxError that names the field, what is wrong with it and what to write
 */
export function parseExpression(text: string): CronExpression {
  if (text.length > MAX_EXPRESSION_LENGTH) {
    throw new CronSyntaxError(`the expression has ${text.length} characters; at most ${MAX_EXPRESSION_LENGTH} are read`, 'shorten it');
  }
  const trimmed = text.trim();
  const fields = (trimmed.startsWith('@') ? spelledOut(trimmed) : trimmed).split(/\s+/);
  if (trimmed === '' || fields.length < 5 || fields.length > 7) {
    const count = trimmed === '' ? 0 : fields.length;
    throw new CronSyntaxError(`the expression "${shortened(trimmed)}" has ${count} ${count === 1 ? 'field' : 'fields'}; 5, 6 or 7 are needed`, `write ${FORM}`);
  }
  return expressionOf(fields.length === 5 ? ['0', ...fields] : fields, trimmed);
}

/** One form for expressions that differ in blanks or in the case of names only. */
export function normalized(text: string): string {
  return text.trim().split(/\s+/).join(' ').toUpperCase();
}

function spelledOut(nickname: string): string {
  const expression = NICKNAMES[nickname.toLowerCase()];
  if (expression !== undefined) return expression;
  throw new CronSyntaxError(`"${shortened(nickname)}" is not known`, `write one of ${Object.keys(NICKNAMES).join(', ')}, or ${FORM}`);
}

function expressionOf(fields: readonly string[], text: string): CronExpression {
  const [second = '', minute = '', hour = '', day = '', month = '', weekday = '', year] = fields;
  const seconds = parseField(second, SECOND);
  const minutes = parseField(minute, MINUTE);
  const hours = parseField(hour, HOUR);
  const days = parseField(day, DAY);
  const months = parseField(month, MONTH);
  const weekdays = sundays(parseField(weekday, WEEKDAY));
  const bothDays = days.star || weekdays.star;
  const everyHour = hours.full;
  const fixed = !hours.full && !hours.star && !minutes.star && !second.startsWith('*');
  if (bothDays && !exists(days, months)) {
    throw new CronSyntaxError(`"${shortened(text)}" never happens: no month of "${month}" has a day of "${day}"`, 'correct the day of month or the month');
  }
  const years = year === undefined ? undefined : parseField(year, YEAR);
  return { seconds, minutes, hours, days, months, weekdays, years, bothDays, everyHour, fixed };
}

/** Makes 7 and 0 the same day. */
function sundays(set: FieldSet): FieldSet {
  const sunday = set.nextFrom[0] === 0 || set.nextFrom[7] === 7;
  if (!sunday) return set;
  const nextFrom = set.nextFrom.map((next, value) => (value === 0 ? 0 : value <= 7 && next === -1 ? 7 : next));
  return { ...set, nextFrom };
}

function exists(days: FieldSet, months: FieldSet): boolean {
  const first = nextIn(days, 1);
  for (let month = nextIn(months, 1); month !== -1; month = nextIn(months, month + 1)) {
    if (first <= longest(month)) return true;
  }
  return false;
}

function longest(month: number): number {
  if (month === 2) return 29;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

import { type QueryComparison, QueryError, type QueryField } from './query-tree.js';

/** What a condition on a field asks of a value; undefined: the field is not there. */
export type ValueTest = (value: unknown) => boolean;

/** How the values of a known field are compared. A text counts whatever its case. */
export type FieldType =
  | 'text' | 'number'
  /** Values in milliseconds; written with a unit. */
  | 'duration'
  /** Values in milliseconds since the epoch; written as ISO 8601, where an asterisk stands for any text: `2026-11-27*`. */
  | 'time'
  /** One of these, the least first, so that they can be compared. */
  | readonly string[];

const UNITS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** @param type undefined: whatever the values are. @throws {QueryError} at the value, when the field can have none of that kind */
export function valueTest(node: QueryField, type: FieldType | undefined): ValueTest {
  if (type === undefined) return anyTest(node);
  if (type === 'number') return numberTest(node, numberOf(node));
  if (type === 'duration') return numberTest(node, durationOf(node));
  if (type === 'time') return timeTest(node);
  if (type === 'text') return textTest(node);
  return rankTest(node, type);
}

function anyTest(node: QueryField): ValueTest {
  const { comparison, value, quoted } = node;
  const statusClass = quoted ? undefined : /^([1-5])xx$/i.exec(value)?.[1];
  if (comparison === '=' && statusClass !== undefined) return (given) => Math.floor(Number(given) / 100) === Number(statusClass) || equals(given, value);
  if (comparison === '=') return glob(value, quoted);
  const [number, duration] = [plainNumber(value), plainDuration(value)];
  const than = number ?? duration;
  if (than === undefined) throw new QueryError(`"${comparison}" compares with a number or a duration such as 200ms`, node.valueAt);
  return (given) => given !== undefined && given !== null && given !== '' && holds(Number(given), comparison, than);
}

function textTest(node: QueryField): ValueTest {
  if (node.comparison !== '=') throw new QueryError(`"${node.field}" is a text: "${node.comparison}" cannot be asked of it`, node.valueAt);
  return glob(node.value, node.quoted);
}

function numberTest({ comparison }: QueryField, than: number): ValueTest {
  return (given) => given !== undefined && given !== null && given !== '' && holds(Number(given), comparison, than);
}

function timeTest(node: QueryField): ValueTest {
  const { field, comparison, value, valueAt, quoted } = node;
  const at = momentOf(value);
  if (Number.isFinite(at)) return (given) => holds(Number(given), comparison, at);
  if (comparison !== '=' || quoted || !/^[\d*][\d*tz:.-]*$/i.test(value)) throw new QueryError(`"${field}" is a time such as 2026-11-27T10:30Z, or 2026-11-27* for all of a day`, valueAt);
  const fits = glob(value, quoted);
  return (given) => Number.isFinite(Number(given)) && fits(new Date(Number(given)).toISOString());
}

/** Of a date, or a date and a time; UTC where it names no zone. NaN for anything else: `Date.parse` alone takes much that is none. */
function momentOf(text: string): number {
  const [date, time, zone] = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/i.exec(text) ?? [];
  if (date === undefined) return NaN;
  return Date.parse(time === undefined || zone !== undefined ? text : `${text}Z`);
}

function rankTest({ field, comparison, value, valueAt, quoted }: QueryField, ranks: readonly string[]): ValueTest {
  if (comparison === '=' && !quoted && value.includes('*')) return glob(value, quoted);
  const rank = ranks.indexOf(value.toLowerCase());
  if (rank < 0) throw new QueryError(`"${field}" is one of ${ranks.join(', ')}`, valueAt);
  return (given) => holds(ranks.indexOf(String(given)), comparison, rank);
}

function holds(given: number, comparison: QueryComparison, than: number): boolean {
  if (comparison === '>') return given > than;
  if (comparison === '>=') return given >= than;
  if (comparison === '<') return given < than;
  return comparison === '<=' ? given <= than : given === than;
}

/** Whatever the case; `*` stands for any text. */
function glob(pattern: string, quoted: boolean): ValueTest {
  if (quoted || !pattern.includes('*')) return (given) => equals(given, pattern);
  const parts = pattern.toLowerCase().split('*');
  return (given) => given !== undefined && matchesParts(textOf(given).toLowerCase(), parts);
}

/** The parts occur one behind the other, the first at the beginning and the last at the end. Takes no more time than the text is long, times the parts. */
function matchesParts(text: string, parts: readonly string[]): boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop() ?? '';
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}

function equals(given: unknown, value: string): boolean {
  return given !== undefined && textOf(given).toLowerCase() === value.toLowerCase();
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function numberOf({ field, value, valueAt }: QueryField): number {
  const number = plainNumber(value);
  if (number !== undefined) return number;
  throw new QueryError(`"${field}" is a number`, valueAt);
}

function durationOf({ field, value, valueAt }: QueryField): number {
  const duration = plainDuration(value);
  if (duration !== undefined) return duration;
  throw new QueryError(`"${field}" is a duration with its unit, such as 200ms, 1.5s, 2m or 1h`, valueAt);
}

function plainNumber(value: string): number | undefined {
  return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : undefined;
}

function plainDuration(value: string): number | undefined {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(us|ms|s|m|h)$/i.exec(value) ?? [];
  return amount === undefined ? undefined : Number(amount) * (UNITS[unit.toLowerCase()] as number);
}

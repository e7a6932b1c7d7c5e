/** What a field of an expression allows: values from `min` to `max`. */
export interface FieldRange {
  /** As messages say it, e.g. `minute`. */
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Three-letter names; the first one stands for `min`. */
  readonly names?: readonly string[];
  /** `?` may be written for `*`. */
  readonly question?: boolean;
}

/** The values that a field takes. */
export interface FieldSet {
  /** For each value from 0 to `max + 1` the smallest one of the set that is not below it, or -1. */
  readonly nextFrom: readonly number[];
  /** The text begins with `*`. */
  readonly star: boolean;
  /** Nothing is left out. */
  readonly full: boolean;
}

/** Rejection of an expression: what is wrong and what to write instead. Never leaves this package. */
export class CronSyntaxError extends Error {
  constructor(message: string, readonly remedy: string) {
    super(message);
    this.name = 'CronSyntaxError';
  }
}

const NUMBER = /^\d{1,4}$/;

/** Reads one field: `*`, a value, `a-b`, each with `/step`, and lists of them. @throws CronSyntaxError */
export function parseField(text: string, range: FieldRange): FieldSet {
  const values = new Set<number>();
  for (const item of text.split(',')) for (const value of itemValues(item, text, range)) values.add(value);
  return fieldSet(values, range, text.startsWith('*') || text === '?');
}

/** Whether the set holds a value. */
export function holds(set: FieldSet, value: number): boolean {
  return set.nextFrom[value] === value;
}

/** The smallest value of the set that is not below another, or -1. */
export function nextIn(set: FieldSet, value: number): number {
  return set.nextFrom[value] ?? -1;
}

function fieldSet(values: ReadonlySet<number>, { min, max }: FieldRange, star: boolean): FieldSet {
  const nextFrom = new Array<number>(max + 2).fill(-1);
  let full = true;
  for (let value = max; value >= 0; value -= 1) {
    nextFrom[value] = values.has(value) ? value : nextFrom[value + 1] ?? -1;
    if (value >= min && !values.has(value)) full = false;
  }
  return { nextFrom, star, full };
}

function itemValues(item: string, text: string, range: FieldRange): readonly number[] {
  const [base = '', stepText, ...more] = item.split('/');
  if (more.length > 0) throw bad(range, text, `"${item}" has two steps`, 'write one step, e.g. */5');
  const step = stepText === undefined ? 1 : stepOf(stepText, text, range);
  const [from, to] = bounds(base, stepText !== undefined, text, range);
  const values: number[] = [];
  for (let value = from; value <= to; value += step) values.push(value);
  return values;
}

function bounds(base: string, stepped: boolean, text: string, range: FieldRange): readonly [number, number] {
  if (base === '*' || (base === '?' && range.question === true)) return [range.min, range.max];
  const [first = '', last, ...more] = base.split('-');
  if (more.length > 0) throw bad(range, text, `"${base}" is no range`, `write a range as ${range.min}-${range.max}`);
  const from = valueOf(first, text, range);
  if (last === undefined) return [from, stepped ? range.max : from];
  const to = rangeEnd(from, valueOf(last, text, range), range);
  if (from <= to) return [from, to];
  throw bad(range, text, `range "${base}" ends before it begins`, `write two ranges, e.g. ${from}-${range.max},${range.min}-${to}`);
}

/** A range of days may end with Sunday: FRI-SUN is 5-7. */
function rangeEnd(from: number, to: number, { names, max, min }: FieldRange): number {
  return names !== undefined && min === 0 && to === 0 && from > 0 ? max : to;
}

function stepOf(stepText: string, text: string, range: FieldRange): number {
  const size = range.max - range.min + 1;
  const step = NUMBER.test(stepText) ? Number(stepText) : 0;
  if (step >= 1 && step <= size) return step;
  throw bad(range, text, `step "${shown(stepText)}" is not a whole number from 1 to ${size}`, `write a step from 1 to ${size}`);
}

function valueOf(word: string, text: string, range: FieldRange): number {
  const { names, min, max } = range;
  const named = names?.indexOf(word.toUpperCase()) ?? -1;
  if (named >= 0) return named + min;
  const value = NUMBER.test(word) ? Number(word) : -1;
  if (value >= min && value <= max) return value;
  const known = names ? ` or ${names[0] ?? ''}-${names.at(-1) ?? ''}` : '';
  const what = word === '' ? 'a value is missing' : `"${shown(word)}" is not a valid ${range.name}`;
  throw bad(range, text, what, `write ${min}-${max}${known}`);
}

function bad(range: FieldRange, text: string, fault: string, remedy: string): CronSyntaxError {
  return new CronSyntaxError(`${range.name} field "${shown(text)}": ${fault}`, remedy);
}

function shown(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

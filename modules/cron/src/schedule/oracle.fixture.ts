/* A second, slow and simple opinion on what an expression means: every second or minute is looked at. */

const NAMES: Readonly<Record<string, number>> = {
  JAN: 1, FEB: 2, MAR: 3, APR: 4, MAY: 5, JUN: 6, JUL: 7, AUG: 8, SEP: 9, OCT: 10, NOV: 11, DEC: 12,
  SUN: 0, MON: 1, TUE: 2, WED: 3, THU: 4, FRI: 5, SAT: 6,
};
const LIMITS: readonly (readonly [number, number])[] = [[0, 59], [0, 59], [0, 23], [1, 31], [1, 12], [0, 7]];
const QUARTER_MS = 900_000;

/** What clocks in a zone show at a moment, as if it were UTC. Offsets change on quarters of an hour only in this century. */
export class WallClock {
  private readonly offsets = new Map<number, number>();
  private readonly format: Intl.DateTimeFormat;
  constructor(readonly zone: string) {
    this.format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  }

  at(time: number): number {
    const quarter = Math.floor(time / QUARTER_MS) * QUARTER_MS;
    let offset = this.offsets.get(quarter);
    if (offset === undefined) {
      offset = Date.parse(`${this.format.format(quarter).replace(' ', 'T')}Z`) - quarter;
      this.offsets.set(quarter, offset);
    }
    return time + offset;
  }
}

/** The ticks in [from, until), found by looking at every `step` of the clock (a second or a minute). */
export function bruteForce(expression: string, clock: WallClock, range: { from: number; until: number; step: number }): number[] {
  const { from, until, step } = range;
  const fields = expression.split(' ');
  const texts = fields.length === 5 ? ['0', ...fields] : fields;
  const sets = texts.map((text, index) => valuesOf(text, LIMITS[index] ?? [0, 0]));
  const hourly = sets[2]?.size === 24;
  const interval = hourly || texts[2]?.startsWith('*') === true || texts[1]?.startsWith('*') === true || (fields.length === 6 && texts[0]?.startsWith('*') === true);
  const ticks: number[] = [];
  for (let time = from; time < until; time += step) {
    const wall = clock.at(time);
    const before = clock.at(time - step) + step;
    let tick = matches(wall, sets, texts) && (interval || !shownBefore(wall, time, clock));
    if (!hourly && before < wall) for (let lost = before; lost < wall; lost += step) tick ||= matches(lost, sets, texts);
    if (tick) ticks.push(time);
  }
  return ticks;
}

function shownBefore(wall: number, time: number, clock: WallClock): boolean {
  for (let back = QUARTER_MS; back <= 3 * 3_600_000; back += QUARTER_MS) if (clock.at(time - back) === wall) return true;
  return false;
}

function matches(wall: number, sets: readonly ReadonlySet<number>[], texts: readonly string[]): boolean {
  const is = (index: number, value: number): boolean => sets[index]?.has(value) === true;
  if (!is(1, wall / 60_000 % 60 | 0)) return false;
  const date = new Date(wall);
  if (!is(0, date.getUTCSeconds()) || !is(2, date.getUTCHours()) || !is(4, date.getUTCMonth() + 1)) return false;
  const [day, weekday] = [is(3, date.getUTCDate()), is(5, date.getUTCDay()) || (date.getUTCDay() === 0 && is(5, 7))];
  return texts[3]?.startsWith('*') || texts[5]?.startsWith('*') ? day && weekday : day || weekday;
}

function valuesOf(text: string, [min, max]: readonly [number, number]): ReadonlySet<number> {
  const values = new Set<number>();
  for (const item of text.toUpperCase().split(',')) {
    const [base = '', step] = item.split('/');
    const [low = '', high] = base === '*' ? [`${min}`, `${max}`] : base.split('-');
    const number = (word: string): number => NAMES[word] ?? Number(word);
    const end = high === undefined ? (step === undefined ? number(low) : max) : number(high);
    const last = max === 7 && end === 0 && number(low) > 0 ? 7 : end;
    for (let value = number(low); value <= last; value += Number(step ?? 1)) values.add(value);
  }
  return values;
}

/** Small and repeatable. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

/** A random valid field. */
function field(random: (below: number) => number, [min, max]: readonly [number, number], star: number): string {
  if (random(100) < star) return '*';
  const size = max - min + 1;
  const one = (): string => {
    const from = min + random(size);
    const to = from + random(max - from + 1);
    return [`${from}`, `${from}-${to}`, `${from}-${to}/${1 + random(5)}`, `${from}/${1 + random(size)}`, `*/${1 + random(size)}`][random(5)] ?? '*';
  };
  return Array.from({ length: 1 + random(3) }, one).join(',');
}

/** Valid expressions of all forms; hours around the change of the clocks come often. */
export function randomExpressions(count: number, { seed, seconds }: { readonly seed: number; readonly seconds: boolean }): string[] {
  const random = randomNumbers(seed);
  const star = [20, 30, 40, 60, 70, 60];
  return Array.from({ length: count }, () => {
    const fields = LIMITS.map((limits, index) => field(random, limits, star[index] ?? 0));
    if (random(3) === 0) fields[2] = ['2', '1-3', '0,1,2', '0-4/2'][random(4)] ?? '2';
    return (seconds ? fields : fields.slice(1)).join(' ');
  });
}

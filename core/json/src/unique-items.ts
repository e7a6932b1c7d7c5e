import { charge } from './work-meter.js';

/** What a number costs that is sorted. */
const NUMBER_COST = 8;
/** What an item costs that is hashed. */
const HASHED_COST = 30;
/** What a container costs beside its members. */
const CONTAINER_COST = 20;
/** What a text or a name costs beside its characters. */
const QUOTED_COST = 5;
const CHARACTERS_A_UNIT = 4;

/** Two equal items. */
export interface Duplicates {
  readonly first: number;
  readonly second: number;
}

/**
 * Two equal items of a JSON array, found in time that grows with its length alone. Numbers are sorted, because the hash of a
 * number is no secret and thousands can be chosen that share one; what is hashed is text with a mark before it, which the
 * platform hashes with a secret seed.
 * @throws the meter's signal when the items cost too much
 */
export function duplicatesOf(items: readonly unknown[]): Duplicates | undefined {
  const numbers: number[] = [];
  const texts = new Map<string, number>();
  charge(items.length * NUMBER_COST);
  for (let second = 0; second < items.length; second++) {
    const item = items[second];
    if (typeof item === 'number') {
      numbers.push(item);
      continue;
    }
    charge(HASHED_COST);
    const text = textOf(item);
    const first = texts.get(text);
    if (first !== undefined) return { first, second };
    texts.set(text, second);
  }
  const twice = repeatedNumber(numbers);
  if (twice === undefined) return undefined;
  const first = items.indexOf(twice);
  return { first, second: items.indexOf(twice, first + 1) };
}

function repeatedNumber(numbers: readonly number[]): number | undefined {
  // Minus zero is sorted before zero and equal to it.
  const sorted = Float64Array.from(numbers).sort();
  const index = sorted.findIndex((number, place) => number === sorted[place + 1]);
  return index === -1 ? undefined : sorted[index];
}

/** One text for all equal values, and another one for each other value. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return String(value === 0 ? 0 : value);
  charge(CONTAINER_COST);
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
  const members = value as Readonly<Record<string, unknown>>;
  return `{${Object.keys(members).sort().map((key) => `${quoted(key)}:${textOf(members[key])}`).join()}}`;
}

function quoted(text: string): string {
  charge(QUOTED_COST + text.length / CHARACTERS_A_UNIT);
  return JSON.stringify(text);
}

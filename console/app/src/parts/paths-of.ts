import type { JsonValue } from '../api/types.generated.js';
import { asWord } from './with-condition.js';

const DEEPEST = 4;
const LONGEST_VALUE = 40;
const MOST = 40;

/** Conditions on members of values that are there, for completion: `customer.id:c-1`, those that most have first; of members without a short value `has:`. */
export function conditionsFrom(values: readonly JsonValue[]): readonly string[] {
  const found = new Map<string, { count: number; condition: string }>();
  for (const value of values) {
    for (const [path, condition] of new Map(membersOf(value, '', DEEPEST))) {
      const known = found.get(path);
      if (known) known.count += 1;
      else found.set(path, { count: 1, condition });
    }
  }
  return [...found.values()].sort((a, b) => b.count - a.count).slice(0, MOST).map(({ condition }) => condition);
}

function membersOf(value: JsonValue, path: string, deep: number): readonly (readonly [path: string, condition: string])[] {
  if (deep === 0) return [];
  if (Array.isArray(value)) return (value as readonly JsonValue[]).slice(0, 3).flatMap((item) => membersOf(item, path, deep));
  if (typeof value === 'object' && value !== null) return Object.entries(value).flatMap(([name, member]) => membersOf(member as JsonValue, path === '' ? name : `${path}.${name}`, deep - 1));
  if (path === '') return [];
  const text = String(value);
  return [[path, text.length <= LONGEST_VALUE && text !== '' ? `${asWord(path)}:${asWord(text)}` : `has:${asWord(path)}`]];
}

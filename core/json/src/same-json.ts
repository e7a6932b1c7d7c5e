import { charge } from './work-meter.js';

/** What comparing two containers costs beside their members. */
const CONTAINER_COST = 10;

/** Whether two JSON values are the same: by members in any order, as JSON Schema compares them. @throws the meter's signal when that costs too much */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Array.isArray(a) !== Array.isArray(b)) return false;
  charge(CONTAINER_COST);
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && sameJson((a as Members)[key], (b as Members)[key]));
}

type Members = Readonly<Record<string, unknown>>;

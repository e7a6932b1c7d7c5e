import { OperationError } from 'treadle';
import { ValueParts } from './value-parts.js';

/** Deepest nesting of a stored value. */
const MAX_DEPTH = 100;
/** Members of a way too long that are told. */
const SHOWN = 6;

/**
 * Refuses what JSON would silently change or drop in a value that is to be stored or sent. Members that are `undefined`
 * are fine: they are left out, as everywhere in JavaScript. `wrapping`: levels around what is stored, which do not count. Returns what it consists of.
 * @throws OperationError `InvalidValue`, naming the place; also for more than 100,000 members and elements, or 20,000 different keys
 */
export function checkJson(value: unknown, what: string, wrapping = 0): ValueParts {
  const parts = new ValueParts(what);
  const problem = findProblem(value, -wrapping, parts);
  if (problem) throw new OperationError('InvalidValue', `${what} is not JSON: ${wordsOf(problem)}`);
  parts.checkKeys(value);
  return parts;
}

/** What is wrong, and the way to it from its end: it is put together on the way back, for there is seldom one. */
interface Problem {
  readonly text: string;
  readonly deep?: boolean;
  readonly way: (string | number)[];
}

function findProblem(value: unknown, depth: number, parts: ValueParts): Problem | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : { text: `${value} is no JSON number`, way: [] };
  if (typeof value !== 'object') return { text: typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`, way: [] };
  if (depth >= MAX_DEPTH) return { text: `nested deeper than ${MAX_DEPTH}, or a cycle, below here`, deep: true, way: [] };
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return undefined;
  if (value instanceof Map || value instanceof Set) return { text: `a ${value.constructor.name}`, way: [] };
  return Array.isArray(value) ? inArray(value, depth, parts) : inObject(value as Readonly<Record<string, unknown>>, depth, parts);
}

function inArray(items: readonly unknown[], depth: number, parts: ValueParts): Problem | undefined {
  parts.addElements(items.length);
  for (let index = 0; index < items.length; index++) {
    const problem = findProblem(items[index], depth + 1, parts);
    if (problem) return below(index, problem);
  }
  return undefined;
}

function inObject(value: Readonly<Record<string, unknown>>, depth: number, parts: ValueParts): Problem | undefined {
  const keys = Object.keys(value);
  parts.addMembers(keys.length);
  for (const key of keys) {
    const member = value[key];
    const problem = member === undefined ? undefined : findProblem(member, depth + 1, parts);
    if (problem) return below(key, problem);
  }
  return undefined;
}

function below(key: string | number, problem: Problem): Problem {
  problem.way.push(key);
  return problem;
}

/** Of a long way the beginning is told. */
function wordsOf({ text, deep, way }: Problem): string {
  const path = way.reverse().slice(0, deep ? SHOWN : undefined).join('.');
  return path === '' ? text : `${text} at ${path}`;
}

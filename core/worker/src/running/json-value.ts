import { OperationError } from 'treadle';

/** Deepest nesting of a stored value. @source product specification, section 6 */
const MAX_DEPTH = 100;

/**
 * Refuses what JSON would silently change or drop in a value that is to be stored or sent. Members that are `undefined`
 * are fine: they are left out, as everywhere in JavaScript. `wrapping`: levels around what is stored, which do not count.
 * @throws OperationError `InvalidValue`, naming the place
 */
export function checkJson(value: unknown, what: string, wrapping = 0): void {
  const problem = findProblem(value, '', -wrapping);
  if (problem) throw new OperationError('InvalidValue', `${what} is not JSON: ${problem}`);
}

function findProblem(value: unknown, path: string, depth: number): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : at(path, `${value} is no JSON number`);
  if (typeof value !== 'object') return at(path, typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`);
  if (depth >= MAX_DEPTH) return at(beginning(path), `nested deeper than ${MAX_DEPTH}, or a cycle, below here`);
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return undefined;
  if (value instanceof Map || value instanceof Set) return at(path, `a ${value.constructor.name}`);
  return Array.isArray(value) ? inArray(value, path, depth) : inObject(value, path, depth);
}

function inArray(items: readonly unknown[], path: string, depth: number): string | undefined {
  for (let index = 0; index < items.length; index++) {
    const problem = findProblem(items[index], `${path}.${index}`, depth + 1);
    if (problem) return problem;
  }
  return undefined;
}

function inObject(value: object, path: string, depth: number): string | undefined {
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const problem = findProblem(member, `${path}.${key}`, depth + 1);
    if (problem) return problem;
  }
  return undefined;
}

const beginning = (path: string): string => path.split('.').slice(0, 7).join('.');
const at = (path: string, problem: string): string => (path === '' ? problem : `${problem} at ${path.slice(1)}`);

import { MAX_BATCH_PARTS, MAX_VALUE_KEYS, MAX_VALUE_PARTS } from '@treadle/protocol';
import { OperationError } from 'treadle';

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

/** How much something may consist of, and what to do about more. */
interface PartsLimit {
  readonly most: number;
  readonly remedy: string;
}

const OF_A_VALUE: PartsLimit = { most: MAX_VALUE_PARTS, remedy: 'store it in several parts, or as text' };
const OF_A_BATCH: PartsLimit = { most: MAX_BATCH_PARTS, remedy: 'enqueue them in several batches' };

/**
 * Counts what a value consists of, while it is walked. The engine refuses a value of too many parts as well, but only after its event loop has
 * read it: it had better not be sent.
 */
export class ValueParts {
  private elements = 0;
  private members = 0;

  /** `what`: subject of the error. */
  constructor(private readonly what: string, private readonly limit: PartsLimit = OF_A_VALUE) {}

  /** Counts the messages of a batch together. */
  static ofBatch(): ValueParts {
    return new ValueParts('the batch', OF_A_BATCH);
  }

  /** @throws OperationError `InvalidValue` beyond the limit */
  addElements(count: number): void {
    this.elements += count;
    this.check();
  }

  /** @throws OperationError `InvalidValue` beyond the limit */
  addMembers(count: number): void {
    this.members += count;
    this.check();
  }

  /** @throws OperationError `InvalidValue` beyond the limit of both together */
  add({ elements, members }: ValueParts): void {
    this.addElements(elements);
    this.addMembers(members);
  }

  /** To be called at the end. @throws OperationError `InvalidValue` for more than 20,000 different keys */
  checkKeys(value: unknown): void {
    if (this.members <= MAX_VALUE_KEYS) return;
    const keys = new Set<string>();
    gatherKeys(value, keys);
    if (keys.size > MAX_VALUE_KEYS) throw this.tooMany(`${MAX_VALUE_KEYS} different keys`);
  }

  private check(): void {
    if (this.elements + this.members > this.limit.most) throw this.tooMany(`${this.limit.most} members and elements`);
  }

  private tooMany(most: string): OperationError {
    return new OperationError('InvalidValue', `${this.what} has more than ${most}; ${this.limit.remedy}`);
  }
}

function gatherKeys(value: unknown, keys: Set<string>): void {
  if (typeof value !== 'object' || value === null || keys.size > MAX_VALUE_KEYS) return;
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) gatherKeys(item, keys);
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    keys.add(key);
    gatherKeys(member, keys);
  }
}

import { MAX_BATCH_PARTS, MAX_VALUE_KEYS, MAX_VALUE_PARTS } from '@treadle/protocol';
import { OperationError } from 'treadle';

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

import type { LogRecord, Unsubscribe } from '@treadle/api';

/** A record that is kept, with its number: they rise with time and are never used twice, by the next run of the engine neither. */
export interface KeptLog {
  readonly id: number;
  readonly record: LogRecord;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** What the ring has let go, and why. */
export interface EvictedLogs {
  readonly count: number;
  readonly bytes: number;
  readonly age: number;
}

export interface LogRingLimits {
  readonly maxCount: number;
  readonly maxBytes: number;
  readonly retentionMs: number;
}

/** Numbers for each millisecond that a run of an engine began later than another one: none logs as many. */
const NUMBERS_PER_MS = 100;

/** The number of the first record of an engine that begins at `now`, in milliseconds since the epoch: above all numbers of its former runs. */
export function firstNumber(now: number): number {
  return Math.floor(now) * NUMBERS_PER_MS;
}

const FIXED_BYTES = 300;
const PER_FIELD = 32;

/** The latest log records, bounded by count, size and age. Number n is at n modulo the size. */
export class LogRing {
  private readonly records: (LogRecord | undefined)[];
  private readonly times: Float64Array;
  private readonly sizes: Float64Array;
  private readonly evictions = { count: 0, bytes: 0, age: 0 };
  /** The same set in a ring that takes over. */
  private listeners = new Set<(log: KeptLog) => void>();
  private next = 0;
  private first = 0;
  private begun = 0;
  private bytes = 0;

  /** @param former whose records, numbers, counts and listeners it takes over */
  constructor(private readonly limits: LogRingLimits, former?: LogRing) {
    this.records = new Array<LogRecord | undefined>(limits.maxCount).fill(undefined);
    this.times = new Float64Array(limits.maxCount);
    this.sizes = new Float64Array(limits.maxCount);
    if (!former) return;
    this.adopt(former);
    this.listeners = former.listeners;
  }

  /** Gives records numbers from `first` on. @throws Error when some have numbers already */
  begin(first: number): void {
    if (this.next !== this.begun) throw new Error('a ring that has records cannot begin with another number');
    this.begun = this.first = this.next = first;
  }

  /** Takes over the records, numbers and counts of another ring, whose listeners stay there. @throws Error when it has records of its own */
  adopt(former: LogRing): void {
    this.begin(former.oldest);
    this.begun = former.begun;
    Object.assign(this.evictions, former.evictions);
    for (let id = former.oldest; id < former.end; id += 1) this.add(former.record(id));
  }

  /** The first number of all: what has a lower one is of a former run of the engine. */
  get origin(): number {
    return this.begun;
  }

  /** Number of the oldest record that is kept. */
  get oldest(): number {
    return this.first;
  }

  /** Number of the next record. */
  get end(): number {
    return this.next;
  }

  get usedBytes(): number {
    return this.bytes;
  }

  get evicted(): EvictedLogs {
    return { ...this.evictions };
  }

  add(record: LogRecord): void {
    const { maxCount, maxBytes } = this.limits;
    const bytes = logBytes(record);
    if (this.next - this.first === maxCount) this.evict('count');
    while (this.bytes + bytes > maxBytes && this.first < this.next) this.evict('bytes');
    const at = this.next % maxCount;
    const time = Date.parse(record.timestamp);
    this.records[at] = record;
    this.times[at] = time;
    this.sizes[at] = bytes;
    this.bytes += bytes;
    this.next += 1;
    for (const listener of this.listeners) listener({ id: this.next - 1, record, time });
  }

  record(id: number): LogRecord {
    return this.records[id % this.limits.maxCount] as LogRecord;
  }

  time(id: number): number {
    return this.times[id % this.limits.maxCount] as number;
  }

  /** Lets go of what is older than it may be at `now`, milliseconds since the epoch. */
  expire(now: number): void {
    while (this.first < this.next && this.time(this.first) < now - this.limits.retentionMs) this.evict('age');
  }

  /** Tells of every record from now on. */
  follow(listener: (log: KeptLog) => void): Unsubscribe {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  private evict(reason: keyof EvictedLogs): void {
    const at = this.first % this.limits.maxCount;
    this.bytes -= this.sizes[at] as number;
    this.records[at] = undefined;
    this.first += 1;
    this.evictions[reason] += 1;
  }
}

/** About how many bytes a record keeps alive. */
export function logBytes({ message, fields }: LogRecord): number {
  return FIXED_BYTES + message.length + bytesWithin(fields);
}

function bytesWithin(value: unknown): number {
  if (typeof value === 'string') return PER_FIELD + value.length;
  if (typeof value !== 'object' || value === null) return PER_FIELD;
  let bytes = PER_FIELD;
  for (const key in value) bytes += key.length + bytesWithin((value as Record<string, unknown>)[key]);
  return bytes;
}

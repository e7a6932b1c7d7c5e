import { patternOf } from '../logs/log-patterns.js';
import { safeError } from '../redaction/safe-span.js';
import type { SpanRing } from './span-ring.js';

/** Runs of a Step by one kind of trigger that failed alike: their errors differ in numbers and ids only. */
export interface ErrorKind {
  /** e.g. `http` */
  readonly trigger: string;
  readonly type: string;
  /** With `<n>` and `<id>` for what differs. What is longer than 200 characters ends there with `…`. */
  readonly message: string;
  readonly count: number;
  /** Start of the first and the last of these runs, milliseconds since the epoch. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Trace and span of the latest. */
  readonly traceId: string;
  readonly spanId: string;
  /** No run by this kind of trigger has succeeded since. */
  readonly now: boolean;
}

/** Kinds that are told apart of one Step; those whose latest run is older are left out. */
const MOST_KINDS = 20;
const LONGEST_MESSAGE = 200;

/** The errors of one Step in some rows, gone through the latest first. */
export class ErrorKinds {
  private readonly kinds = new Map<string, ErrorKind>();
  /** Kinds of triggers by which a run succeeded. */
  private readonly succeeded = new Set<string>();

  get all(): readonly ErrorKind[] {
    return [...this.kinds.values()];
  }

  /** A run, older than those before. */
  note(ring: SpanRing, row: number, trigger: string): void {
    if (!ring.failed(row)) this.succeeded.add(trigger);
    else this.add(kindOf(ring, row, trigger));
  }

  /** What older rows show. */
  addOlder(older: ErrorKinds): void {
    for (const kind of older.kinds.values()) this.add(kind);
    for (const trigger of older.succeeded) this.succeeded.add(trigger);
  }

  private add(kind: ErrorKind): void {
    const key = `${kind.trigger} ${kind.type}: ${kind.message}`;
    const known = this.kinds.get(key);
    if (known) this.kinds.set(key, { ...known, count: known.count + kind.count, firstAt: Math.min(known.firstAt, kind.firstAt) });
    else if (this.kinds.size < MOST_KINDS) this.kinds.set(key, { ...kind, now: kind.now && !this.succeeded.has(kind.trigger) });
  }
}

function kindOf(ring: SpanRing, row: number, trigger: string): ErrorKind {
  const { traceId, spanId, startTime, error } = ring.span(row);
  const { type, message } = safeError(error) ?? { type: 'Error', message: '' };
  const pattern = patternOf(message);
  const shown = pattern.length > LONGEST_MESSAGE ? `${pattern.slice(0, LONGEST_MESSAGE)}…` : pattern;
  return { trigger, type, message: shown, count: 1, firstAt: startTime, lastAt: startTime, traceId, spanId, now: true };
}

import { attemptOf, enqueuedAt } from './enqueued-at.js';
import { NONE } from './no-place.js';
import type { SpanRing } from './span-ring.js';

/** Spans of one trace, by place. */
interface TraceColumns {
  readonly ring: SpanRing;
  readonly size: number;
  /** The row of the ring that a place stands for. */
  readonly rows: readonly number[];
  /** Milliseconds since the epoch. */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
}

/** What is found out about attempts; `SpanTree` says what each column means. */
interface AttemptColumns extends TraceColumns {
  readonly previous: Int32Array;
  readonly waitSince: Float64Array;
  readonly backoff: Uint8Array;
}

/** Finds the attempts at one message and what each of them waited for. */
export function addAttempts(tree: AttemptColumns): void {
  const { ring, size, rows, starts, ends, previous, waitSince, backoff } = tree;
  // By message, the latest consumer so far; and from each the one before it, which may be of another Step.
  const latest = new Map<unknown, number>();
  const before = new Int32Array(size);
  for (let place = 0; place < size; place += 1) {
    const row = rows[place] as number;
    if (ring.kind(row) !== 'consumer') continue;
    const attributes = ring.attributesOf(row);
    const message = attributes['messaging.message.id'];
    if (message !== undefined) {
      before[place] = latest.get(message) ?? NONE;
      latest.set(message, place);
      previous[place] = formerAttempt(tree, place, before);
    }
    const former = previous[place] as number;
    if (former !== NONE || attemptOf(attributes) > 1) backoff[place] = 1;
    const since = former === NONE ? enqueuedAt(attributes) : ends[former];
    if (since !== undefined && since < (starts[place] as number)) waitSince[place] = since;
  }
}

/** The last one so far at the same message, for the same Step and topic. */
function formerAttempt(tree: TraceColumns, place: number, before: Int32Array): number {
  for (let former = before[place] as number; former !== NONE; former = before[former] as number) if (isSameWork(tree, former, place)) return former;
  return NONE;
}

function isSameWork({ ring, rows }: TraceColumns, a: number, b: number): boolean {
  const [rowA, rowB] = [rows[a] as number, rows[b] as number];
  const topic = 'messaging.destination.name';
  return ring.stepName(rowA) === ring.stepName(rowB) && ring.attributesOf(rowA)[topic] === ring.attributesOf(rowB)[topic];
}

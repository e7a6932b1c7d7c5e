import { type Attributes, isTopicName } from '@treadle/api';
import { type ErrorKind, ErrorKinds } from './error-kinds.js';
import { addCounts, count, type Counts } from './name-counts.js';
import type { SpanRing } from './span-ring.js';

/** What the kept spans show of a Step. */
export interface StepActivity {
  readonly step: string;
  readonly runs: { readonly count: number; readonly errors: number; readonly p50Ms: number; readonly p95Ms: number; /** Milliseconds since the epoch. */ readonly lastAt: number };
  /** How its runs failed, that which failed last first. */
  readonly errors: readonly ErrorKind[];
  /** What it did, and how often. */
  readonly enqueued: Readonly<Record<string, number>>;
  readonly consumed: Readonly<Record<string, number>>;
  readonly stateGroups: Readonly<Record<string, number>>;
  /** Those of them that were writes. */
  readonly stateWrites: Readonly<Record<string, number>>;
  readonly streams: Readonly<Record<string, number>>;
}

/** What the kept spans show. */
export interface Activity {
  readonly items: readonly StepActivity[];
  /** How many spans were looked at, and the start of the oldest. */
  readonly spans: number;
  readonly from?: number;
}

/** Latest runs of a Step whose durations count. */
const MAX_DURATIONS = 1_000;
/** A full ring has so many whole blocks, if it is not small. */
const BLOCKS = 16;
const LEAST_ROWS = 256;
const STATE_WRITES: ReadonlySet<string> = new Set(['state.set', 'state.update', 'state.delete']);

/** What some rows show of one Step. */
interface Gathering {
  /** The latest first. */
  readonly durations: number[];
  count: number;
  failed: number;
  lastAt: number;
  readonly errors: ErrorKinds;
  readonly enqueued: Counts;
  readonly consumed: Counts;
  readonly stateGroups: Counts;
  readonly stateWrites: Counts;
  readonly streams: Counts;
}

type Gatherings = Map<string, Gathering>;

/** Sums up what Steps did. Whole blocks of rows are gone through once, however often it is read: a span is looked at once or twice. */
export class ActivityReader {
  private readonly blocks = new Map<number, Gatherings>();
  private readonly rows: number;

  constructor(private readonly ring: SpanRing) {
    this.rows = Math.max(LEAST_ROWS, Math.ceil(ring.capacity / BLOCKS));
  }

  read(): Activity {
    const { oldest, end } = this.ring;
    const [first, last] = [Math.floor(oldest / this.rows), Math.floor(end / this.rows)];
    for (const block of this.blocks.keys()) if (block * this.rows < oldest) this.blocks.delete(block);
    const sums: Gatherings = new Map();
    for (let block = last; block >= first; block -= 1) addAll(sums, this.gathered(block));
    return { items: [...sums].map(activityOf), spans: end - oldest, ...end > oldest && { from: this.ring.start(oldest) } };
  }

  /** Of the rows of a block that are kept. */
  private gathered(block: number): Gatherings {
    const known = this.blocks.get(block);
    if (known) return known;
    const { oldest, end } = this.ring;
    const [from, to] = [block * this.rows, (block + 1) * this.rows];
    const found = gather(this.ring, Math.max(from, oldest), Math.min(to, end));
    if (from >= oldest && to <= end) this.blocks.set(block, found);
    return found;
  }
}

/** Goes through rows once, the latest first. */
function gather(ring: SpanRing, from: number, to: number): Gatherings {
  const found: Gatherings = new Map();
  for (let row = to - 1; row >= from; row -= 1) {
    const step = ring.stepName(row);
    if (step !== '') note(ring, row, gatheringOf(found, step));
  }
  return found;
}

function note(ring: SpanRing, row: number, step: Gathering): void {
  const [kind, attributes] = [ring.kind(row), ring.attributesOf(row)];
  if (kind === 'producer') countTopic(step.enqueued, attributes);
  else if (kind === 'consumer') countTopic(step.consumed, attributes);
  else if (kind === 'internal' && attributes['step.name'] !== undefined) noteRun(ring, row, step); // The handler's own span says how it was started.
  if (ring.name(row).startsWith('state.')) count(step.stateGroups, attributes['state.group']);
  if (STATE_WRITES.has(ring.name(row))) count(step.stateWrites, attributes['state.group']);
  if (ring.name(row).startsWith('stream.')) count(step.streams, attributes['stream.name']);
}

function noteRun(ring: SpanRing, row: number, step: Gathering): void {
  step.count += 1;
  if (ring.failed(row)) step.failed += 1;
  step.errors.note(ring, row, String(ring.attributesOf(row)['step.trigger'] ?? ''));
  step.lastAt = Math.max(step.lastAt, ring.start(row));
  if (step.durations.length < MAX_DURATIONS) step.durations.push(ring.duration(row));
}

/** Changes of state and streams go to no topic; what stands in its place is none. */
function countTopic(counts: Counts, { 'messaging.destination.name': destination }: Attributes): void {
  if (counts.has(destination as string) || isTopicName(destination)) count(counts, destination);
}

/** Adds what older rows show. */
function addAll(sums: Gatherings, older: Gatherings): void {
  for (const [name, one] of older) {
    const sum = gatheringOf(sums, name);
    sum.count += one.count;
    sum.failed += one.failed;
    sum.errors.addOlder(one.errors);
    sum.lastAt = Math.max(sum.lastAt, one.lastAt);
    if (sum.durations.length < MAX_DURATIONS) sum.durations.push(...one.durations.slice(0, MAX_DURATIONS - sum.durations.length));
    for (const counts of ['enqueued', 'consumed', 'stateGroups', 'stateWrites', 'streams'] as const) addCounts(sum[counts], one[counts]);
  }
}

function activityOf([step, { durations, count: runs, failed, errors, lastAt, enqueued, consumed, stateGroups, stateWrites, streams }]: readonly [string, Gathering]): StepActivity {
  const sorted = Float64Array.from(durations).sort();
  return {
    step, runs: { count: runs, errors: failed, lastAt, p50Ms: quantile(sorted, 0.5), p95Ms: quantile(sorted, 0.95) }, errors: errors.all,
    enqueued: Object.fromEntries(enqueued), consumed: Object.fromEntries(consumed), stateGroups: Object.fromEntries(stateGroups), stateWrites: Object.fromEntries(stateWrites), streams: Object.fromEntries(streams),
  };
}

function gatheringOf(found: Gatherings, step: string): Gathering {
  const known = found.get(step);
  if (known) return known;
  const fresh = { durations: [], count: 0, failed: 0, lastAt: 0, errors: new ErrorKinds(), enqueued: new Map(), consumed: new Map(), stateGroups: new Map(), stateWrites: new Map(), streams: new Map() };
  found.set(step, fresh);
  return fresh;
}

/** By rank; 0 of nothing. */
function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

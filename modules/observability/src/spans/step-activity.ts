import { isTopicName } from '@treadle/api';
import type { SpanRing } from './span-ring.js';

/** What the kept spans show of a Step. */
export interface StepActivity {
  readonly step: string;
  readonly runs: { readonly count: number; readonly errors: number; readonly p50Ms: number; readonly p95Ms: number; /** Milliseconds since the epoch. */ readonly lastAt: number };
  /** What it did, and how often. */
  readonly enqueued: Readonly<Record<string, number>>;
  readonly consumed: Readonly<Record<string, number>>;
  readonly stateGroups: Readonly<Record<string, number>>;
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
/** Most groups, streams and topics of a Step: names that are made of ids would fill any room. */
const MAX_NAMES = 100;

interface Gathering {
  readonly durations: number[];
  count: number;
  errors: number;
  lastAt: number;
  readonly enqueued: Map<string, number>;
  readonly consumed: Map<string, number>;
  readonly stateGroups: Map<string, number>;
  readonly streams: Map<string, number>;
}

/** Goes through all kept spans once, the latest first. */
export function stepActivity(ring: SpanRing): Activity {
  const found = new Map<string, Gathering>();
  for (let row = ring.end - 1; row >= ring.oldest; row -= 1) {
    const step = ring.stepName(row);
    if (step !== '') note(ring, row, gatheringOf(found, step));
  }
  const items = [...found].map(([step, { durations, count, errors, lastAt, enqueued, consumed, stateGroups, streams }]): StepActivity => ({
    step, runs: { count, errors, lastAt, p50Ms: quantile(durations, 0.5), p95Ms: quantile(durations, 0.95) },
    enqueued: Object.fromEntries(enqueued), consumed: Object.fromEntries(consumed), stateGroups: Object.fromEntries(stateGroups), streams: Object.fromEntries(streams),
  }));
  return { items, spans: ring.end - ring.oldest, ...ring.end > ring.oldest && { from: ring.start(ring.oldest) } };
}

function note(ring: SpanRing, row: number, step: Gathering): void {
  const [kind, attributes] = [ring.kind(row), ring.attributesOf(row)];
  // Changes of state and streams go to no topic; what stands in its place is none.
  const destination = attributes['messaging.destination.name'];
  const topic = isTopicName(destination) ? destination : undefined;
  if (kind === 'producer') count(step.enqueued, topic);
  else if (kind === 'consumer') count(step.consumed, topic);
  if (ring.name(row).startsWith('state.')) count(step.stateGroups, attributes['state.group']);
  if (ring.name(row).startsWith('stream.')) count(step.streams, attributes['stream.name']);
  // The handler's own span says how it was started.
  if (kind !== 'internal' || attributes['step.name'] === undefined) return;
  step.count += 1;
  if (ring.failed(row)) step.errors += 1;
  step.lastAt = Math.max(step.lastAt, ring.start(row));
  if (step.durations.length < MAX_DURATIONS) step.durations.push(ring.duration(row));
}

function count(counts: Map<string, number>, name: unknown): void {
  if (typeof name !== 'string' || (counts.size >= MAX_NAMES && !counts.has(name))) return;
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function gatheringOf(found: Map<string, Gathering>, step: string): Gathering {
  const known = found.get(step);
  if (known) return known;
  const fresh = { durations: [], count: 0, errors: 0, lastAt: 0, enqueued: new Map(), consumed: new Map(), stateGroups: new Map(), streams: new Map() };
  found.set(step, fresh);
  return fresh;
}

/** By rank; 0 of nothing. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

import { addAttempts } from './attempts.js';
import { NONE } from './no-place.js';
import type { SpanRing } from './span-ring.js';

/** Why a span has no place below another one although it names one. */
export const UNATTACHED = [undefined, 'parent is not kept', 'its parents go in a circle'] as const;
const NOT_KEPT = 1;
const IN_CIRCLE = 2;

/**
 * The spans of one trace as a forest, in columns. A span goes by its place: 0 is the one that began first. As objects ten
 * thousand spans would be copied by several collections while one answer is made.
 */
export class SpanTree {
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  readonly parents: Int32Array;
  /** The first child of each span, and the next child of the same parent: by their start. */
  readonly firstChild: Int32Array;
  readonly nextSibling: Int32Array;
  readonly childCounts: Int32Array;
  /** Places depth first: the order in which a tree is drawn. */
  readonly order: Int32Array;
  /** 0 for a root. */
  readonly depths: Int32Array;
  /** Index in `UNATTACHED`. */
  readonly unattached: Uint8Array;
  /** The former attempt at the same message. */
  readonly previous: Int32Array;
  /** When its wait in the queue or for the next attempt began; NaN when there was none. */
  readonly waitSince: Float64Array;
  /** 1: it waited for its next attempt. */
  readonly backoff: Uint8Array;
  /** 1: on the critical path, once that is known. */
  readonly critical: Uint8Array;

  /** `rows` of the ring, by their start; each id once. */
  constructor(readonly ring: SpanRing, readonly rows: readonly number[], places: ReadonlyMap<string, number>) {
    const size = rows.length;
    this.size = size;
    [this.starts, this.ends, this.waitSince] = [new Float64Array(size), new Float64Array(size), new Float64Array(size).fill(Number.NaN)];
    [this.parents, this.firstChild, this.nextSibling, this.childCounts] = [new Int32Array(size), new Int32Array(size), new Int32Array(size), new Int32Array(size)];
    [this.order, this.depths, this.previous] = [new Int32Array(size), new Int32Array(size), new Int32Array(size).fill(NONE)];
    [this.unattached, this.backoff, this.critical] = [new Uint8Array(size), new Uint8Array(size), new Uint8Array(size)];
    for (let place = 0; place < size; place += 1) this.attach(place, places);
    if (this.arrange() < size) this.breakCircles();
    addAttempts(this);
  }

  /** The row of the ring that a place stands for. */
  row(place: number): number {
    return this.rows[place] as number;
  }

  private attach(place: number, places: ReadonlyMap<string, number>): void {
    const { ring, starts, ends, parents, unattached } = this;
    const row = this.row(place);
    const start = ring.start(row);
    starts[place] = start;
    ends[place] = start + ring.duration(row);
    const id = ring.parent(row);
    const byParent = id === undefined ? place : places.get(id) ?? place;
    const parent = byParent === place ? this.linked(place, places) : byParent;
    parents[place] = parent;
    if (parent === NONE && id !== undefined) unattached[place] = NOT_KEPT;
  }

  /** The first span among its links that is kept. */
  private linked(place: number, places: ReadonlyMap<string, number>): number {
    for (const link of this.ring.linksOf(this.row(place))) {
      const found = places.get(link.split('-')[2] ?? '') ?? place;
      if (found !== place) return found;
    }
    return NONE;
  }

  /** Makes the lists of children and the order of drawing; gives how many spans are below the roots. */
  private arrange(): number {
    const { size, parents, firstChild, nextSibling, childCounts, depths } = this;
    firstChild.fill(NONE);
    childCounts.fill(0);
    depths.fill(NONE);
    for (let place = size - 1; place >= 0; place -= 1) {
      const parent = parents[place] as number;
      if (parent === NONE) continue;
      nextSibling[place] = firstChild[parent] as number;
      firstChild[parent] = place;
      childCounts[parent] = childCounts[parent] as number + 1;
    }
    let reached = 0;
    for (let place = 0; place < size; place += 1) if (parents[place] === NONE) reached = this.walk(place, reached);
    return reached;
  }

  /** Goes through all that is below a root, which comes at `from` of the order; gives where the next one comes. */
  private walk(root: number, from: number): number {
    const { order, depths, parents, firstChild, nextSibling } = this;
    for (let [place, depth, at] = [root, 0, from]; ; place = nextSibling[place] as number) {
      for (; ; place = firstChild[place] as number, depth += 1) {
        order[at] = place;
        depths[place] = depth;
        at += 1;
        if (firstChild[place] === NONE) break;
      }
      for (; place !== root && nextSibling[place] === NONE; place = parents[place] as number) depth -= 1;
      if (place === root) return at;
    }
  }

  /** Nothing reaches the spans of a circle from a root: the earliest of them becomes one. */
  private breakCircles(): void {
    const { size, parents, depths, unattached } = this;
    for (let place = 0; place < size; place += 1) {
      if (depths[place] !== NONE) continue;
      parents[place] = NONE;
      unattached[place] = IN_CIRCLE;
      this.reach(place);
    }
    this.arrange();
  }

  private reach(from: number): void {
    const { depths, firstChild, nextSibling } = this;
    const waiting = [from];
    for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
      if (depths[place] !== NONE) continue;
      depths[place] = 0;
      for (let child = firstChild[place] as number; child !== NONE; child = nextSibling[child] as number) waiting.push(child);
    }
  }
}

/** Builds the tree of rows that come in any order. Parents are found by `parentSpanId`, else by a link; of several spans with one id the last counts. */
export function spanTree(ring: SpanRing, rows: readonly number[]): SpanTree {
  const sorted = byStart(ring, rows);
  const places = new Map<string, number>();
  for (let place = 0; place < sorted.length; place += 1) places.set(ring.spanId(sorted[place] as number), place);
  return places.size === rows.length ? new SpanTree(ring, sorted, places) : spanTree(ring, lastOfEach(ring, rows));
}

function byStart(ring: SpanRing, rows: readonly number[]): readonly number[] {
  const starts = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) starts[at] = ring.start(rows[at] as number);
  const order = Uint32Array.from(rows.keys()).sort((a, b) => (starts[a] as number) - (starts[b] as number) || (isBefore(ring, rows[a] as number, rows[b] as number) ? -1 : 1));
  return Array.from(order, (at) => rows[at] as number);
}

/** Of spans that began together; so that their order does not depend on how they came. */
function isBefore(ring: SpanRing, a: number, b: number): boolean {
  return ring.spanId(a) < ring.spanId(b);
}

function lastOfEach(ring: SpanRing, rows: readonly number[]): readonly number[] {
  return [...new Map(rows.map((row) => [ring.spanId(row), row])).values()];
}

import type { SpanRing } from './span-ring.js';
import { summarize, type TraceSummary } from './trace-summary.js';
import type { AskedTrace } from './trace-target.js';

/** Kept rows of one trace, in the order of their arrival. What they come to is reckoned when somebody asks, and again when they have changed. */
class IndexedTrace implements AskedTrace {
  private sum: TraceSummary | undefined;

  constructor(readonly ring: SpanRing, readonly traceId: string, private all: number[]) {}

  get rows(): readonly number[] {
    return this.all;
  }

  get summary(): TraceSummary {
    return this.sum ??= summarize(this.ring, this.traceId, this.all);
  }

  add(row: number): void {
    this.all.push(row);
    this.sum = undefined;
  }

  /** Lets go of rows that are evicted; false when none is left. */
  keepFrom(oldest: number): boolean {
    if ((this.all[0] as number) >= oldest) return true;
    this.all = this.all.filter((row) => row >= oldest);
    this.sum = undefined;
    return this.all.length > 0;
  }
}

/**
 * Kept traces, those last of which spans came last; made when somebody asks and brought up to date when somebody asks again. There are two
 * generations: when nothing is kept of the time before the young one, the old one goes as a whole. A row costs the same however fast they come.
 */
export class TraceIndex {
  private old = new Map<string, IndexedTrace>();
  private young = new Map<string, IndexedTrace>();
  private youngFrom = 0;
  private builtTo = 0;

  constructor(private readonly ring: SpanRing) {}

  /** Rows of a trace in the order of their arrival. */
  rowsOf(traceId: string): readonly number[] {
    return this.trace(traceId)?.rows ?? [];
  }

  /** Undefined when nothing of it is kept. */
  trace(traceId: string): AskedTrace | undefined {
    this.update();
    const found = this.young.get(traceId) ?? this.old.get(traceId);
    return found?.keepFrom(this.ring.oldest) === true ? found : undefined;
  }

  /** Ids of kept traces that begin so; at most `most`. */
  beginningWith(prefix: string, most: number): readonly string[] {
    const found: string[] = [];
    for (const { traceId } of this.traces()) {
      if (found.length === most) break;
      if (traceId.startsWith(prefix)) found.push(traceId);
    }
    return found;
  }

  /** All traces of which something is kept. */
  *traces(): Generator<AskedTrace & { readonly traceId: string }> {
    this.update();
    for (const generation of [this.old, this.young]) {
      for (const trace of generation.values()) if (trace.keepFrom(this.ring.oldest)) yield trace;
    }
  }

  private update(): void {
    const { ring } = this;
    for (let row = Math.max(this.builtTo, ring.oldest); row < ring.end; row += 1) this.add(ring.traceId(row), row);
    this.builtTo = ring.end;
    if (ring.oldest < this.youngFrom) return;
    this.old = this.young;
    this.young = new Map();
    this.youngFrom = ring.end;
  }

  private add(traceId: string, row: number): void {
    const young = this.young.get(traceId);
    if (young) return young.add(row);
    const old = this.old.get(traceId);
    if (!old) return void this.young.set(traceId, new IndexedTrace(this.ring, traceId, [row]));
    this.old.delete(traceId);
    this.young.set(traceId, old);
    old.keepFrom(this.ring.oldest);
    old.add(row);
  }
}

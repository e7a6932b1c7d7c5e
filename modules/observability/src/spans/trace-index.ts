import type { SpanRing } from './span-ring.js';

/** Kept rows of each trace, newest trace last; made when somebody asks and brought up to date when somebody asks again. */
export class TraceIndex {
  private rows = new Map<string, number[]>();
  private builtFrom = 0;
  private builtTo = 0;

  constructor(private readonly ring: SpanRing) {}

  /** Rows of a trace in the order of their arrival. */
  rowsOf(traceId: string): readonly number[] {
    this.update();
    return this.kept(this.rows.get(traceId) ?? []);
  }

  /** Ids of kept traces that begin so; at most `most`. */
  beginningWith(prefix: string, most: number): readonly string[] {
    const found: string[] = [];
    for (const [traceId] of this.traces()) {
      if (found.length === most) break;
      if (traceId.startsWith(prefix)) found.push(traceId);
    }
    return found;
  }

  /** All traces of which something is kept. */
  *traces(): Generator<readonly [traceId: string, rows: readonly number[]]> {
    this.update();
    for (const [traceId, rows] of this.rows) {
      const kept = this.kept(rows);
      if (kept.length > 0) yield [traceId, kept];
    }
  }

  /** Forgets everything; the next question builds it again. */
  clear(): void {
    this.rows = new Map();
    this.builtFrom = this.ring.oldest;
    this.builtTo = this.ring.oldest;
  }

  private update(): void {
    const { ring } = this;
    // Rows of evicted spans stay until a good part is gone: taking them out one by one would cost more.
    if ((ring.oldest - this.builtFrom) * 4 > ring.end - ring.oldest) this.clear();
    for (let row = Math.max(this.builtTo, ring.oldest); row < ring.end; row += 1) this.add(ring.traceId(row), row);
    this.builtTo = ring.end;
  }

  private add(traceId: string, row: number): void {
    const rows = this.rows.get(traceId);
    if (rows) rows.push(row);
    else this.rows.set(traceId, [row]);
  }

  private kept(rows: readonly number[]): readonly number[] {
    const { oldest } = this.ring;
    const first = rows[0];
    return first === undefined || first >= oldest ? rows : rows.filter((row) => row >= oldest);
  }
}

import type { Attributes, SpanEvent, SpanKind, SpanRecord } from '@treadle/api';
import { SpanSizer } from './span-size.js';

const KINDS: readonly SpanKind[] = ['internal', 'server', 'client', 'producer', 'consumer'];
const KIND_CODES: Readonly<Record<SpanKind, number>> = { internal: 0, server: 1, client: 2, producer: 3, consumer: 4 };

/** What seldom is there and therefore has one column together. */
interface Rare {
  readonly error: SpanRecord['error'];
  readonly events: readonly SpanEvent[] | undefined;
  readonly links: readonly string[] | undefined;
}

/** What the ring has let go. */
export interface Evicted {
  readonly count: number;
  /** Why the last one went: too many, or too large together. */
  readonly reason: 'count' | 'bytes' | undefined;
}

/**
 * The latest spans, in columns: one array for each member, so that the record that brings a span dies young, and
 * nothing that grows or is hashed when a span comes. Spans are numbered from 0 on; number n is at n modulo the size.
 */
export class SpanRing {
  private readonly traceIds: string[];
  private readonly spanIds: string[];
  private readonly parents: (string | undefined)[];
  private readonly names: string[];
  private readonly steps: string[];
  private readonly attributes: Attributes[];
  private readonly rare: (Rare | undefined)[];
  private readonly kinds: Uint8Array;
  private readonly starts: Float64Array;
  private readonly durations: Float64Array;
  private readonly sizes: Float64Array;
  private readonly sizer = new SpanSizer();
  private next = 0;
  private first = 0;
  private bytes = 0;
  private reason: Evicted['reason'];

  /** @param firstNumber number of the first span that comes */
  constructor(private readonly maxSpans: number, private readonly maxBytes: number, firstNumber = 0) {
    this.first = this.next = firstNumber;
    this.traceIds = column('', maxSpans);
    this.spanIds = column('', maxSpans);
    this.parents = column<string | undefined>('', maxSpans);
    this.names = column('', maxSpans);
    this.steps = column('', maxSpans);
    this.attributes = column<Attributes>({}, maxSpans);
    this.rare = column<Rare | undefined>(undefined, maxSpans);
    this.kinds = new Uint8Array(maxSpans);
    this.starts = new Float64Array(maxSpans);
    this.durations = new Float64Array(maxSpans);
    this.sizes = new Float64Array(maxSpans);
  }

  /** Most spans that it keeps. */
  get capacity(): number {
    return this.maxSpans;
  }

  /** Number of the oldest span that is kept. */
  get oldest(): number {
    return this.first;
  }

  /** Number of the next span; those from `oldest` up to it are kept. */
  get end(): number {
    return this.next;
  }

  get usedBytes(): number {
    return this.bytes;
  }

  get evicted(): Evicted {
    return { count: this.first, reason: this.reason };
  }

  add(span: SpanRecord): void {
    const bytes = this.sizer.bytesOf(span);
    if (this.next - this.first === this.maxSpans) this.evict('count');
    while (this.bytes + bytes > this.maxBytes && this.first < this.next) this.evict('bytes');
    const at = this.next % this.maxSpans;
    const { error, events, links } = span;
    this.traceIds[at] = span.traceId;
    this.spanIds[at] = span.spanId;
    this.parents[at] = span.parentSpanId;
    this.names[at] = span.name;
    this.steps[at] = span.stepName;
    this.attributes[at] = span.attributes;
    this.rare[at] = error === undefined && events === undefined && links === undefined ? undefined : { error, events, links };
    this.kinds[at] = KIND_CODES[span.kind];
    this.starts[at] = span.startTime;
    this.durations[at] = span.durationMs;
    this.sizes[at] = bytes;
    this.bytes += bytes;
    this.next += 1;
  }

  traceId(row: number): string {
    return this.traceIds[row % this.maxSpans] as string;
  }

  spanId(row: number): string {
    return this.spanIds[row % this.maxSpans] as string;
  }

  parent(row: number): string | undefined {
    return this.parents[row % this.maxSpans];
  }

  stepName(row: number): string {
    return this.steps[row % this.maxSpans] as string;
  }

  name(row: number): string {
    return this.names[row % this.maxSpans] as string;
  }

  kind(row: number): SpanKind {
    return KINDS[this.kinds[row % this.maxSpans] as number] as SpanKind;
  }

  start(row: number): number {
    return this.starts[row % this.maxSpans] as number;
  }

  duration(row: number): number {
    return this.durations[row % this.maxSpans] as number;
  }

  failed(row: number): boolean {
    return this.rare[row % this.maxSpans]?.error !== undefined;
  }

  attributesOf(row: number): Attributes {
    return this.attributes[row % this.maxSpans] as Attributes;
  }

  linksOf(row: number): readonly string[] {
    return this.rare[row % this.maxSpans]?.links ?? NO_LINKS;
  }

  /** The span as it came, secrets and all. */
  span(row: number): SpanRecord {
    const rare = this.rare[row % this.maxSpans];
    // Written out: spreading what is there would take most of the time of drawing a tree.
    return {
      traceId: this.traceId(row), spanId: this.spanId(row), parentSpanId: this.parent(row), name: this.name(row), kind: this.kind(row),
      startTime: this.start(row), durationMs: this.duration(row), stepName: this.stepName(row), attributes: this.attributesOf(row),
      error: rare?.error, events: rare?.events, links: rare?.links,
    };
  }

  private evict(reason: 'count' | 'bytes'): void {
    const at = this.first % this.maxSpans;
    this.bytes -= this.sizes[at] as number;
    // What is large goes now, not when its place is taken.
    this.rare[at] = undefined;
    this.attributes[at] = NOTHING;
    this.first += 1;
    this.reason = reason;
  }
}

const NOTHING: Attributes = Object.freeze({});
const NO_LINKS: readonly string[] = Object.freeze([]);

function column<T>(value: T, length: number): T[] {
  return new Array<T>(length).fill(value);
}

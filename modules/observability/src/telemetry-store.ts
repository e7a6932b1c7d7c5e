import { type Clock, type SpanRecord, wallTime } from '@treadle/api';
import { firstNumber, LogRing, type LogRingLimits } from './logs/log-ring.js';
import { MetricHistory, type MetricHistoryLimits } from './metrics/metric-history.js';
import { MetricRegistry } from './metrics/metric-registry.js';
import type { OtelConfig } from './otel.config.js';
import { SpanRing } from './spans/span-ring.js';
import { type Activity, ActivityReader } from './spans/step-activity.js';
import { groupTraces, type TraceGrouping, type TraceGroups } from './spans/trace-groups.js';
import { type MarkedTracePage, type TraceQuery, searchTraces } from './spans/trace-search.js';
import type { AskedTrace } from './spans/trace-target.js';
import { type ComparedFrom, compareTraces, type TraceComparison } from './spans/trace-comparison.js';
import { TraceIndex } from './spans/trace-index.js';
import { criticalPath, type CriticalPath, type PathEnd } from './spans/critical-path.js';
import { type SpanTree, spanTree } from './spans/span-tree.js';
import { childRows, type SpanRow, traceJson } from './spans/trace-view.js';

/** How full the store is and what it has let go. */
export interface StoreUse {
  readonly spans: { readonly kept: number; readonly max: number; readonly bytes: number; readonly maxBytes: number; readonly evicted: number; readonly oldest?: number };
  readonly logs: { readonly kept: number; readonly max: number; readonly bytes: number; readonly maxBytes: number; readonly evicted: { readonly count: number; readonly bytes: number; readonly age: number }; readonly oldest?: number };
  readonly metrics: { readonly kept: number; readonly max: number; readonly evicted: number };
}

/** True when a signal stays in this process, too. */
export function isKept(exporter: OtelConfig['exporter']): boolean {
  return exporter === 'memory' || exporter === 'both';
}

/** Everything that is kept in memory, and its questions. */
export class TelemetryStore {
  spans: SpanRing;
  logs: LogRing;
  private metrics = new MetricRegistry();
  history: MetricHistory;
  private index: TraceIndex;
  private activities: ActivityReader;

  /** @param config a reload may change its members: `configChanged` is called then */
  constructor(private readonly config: OtelConfig) {
    this.spans = newSpanRing(config, 0);
    this.index = new TraceIndex(this.spans);
    this.activities = new ActivityReader(this.spans);
    this.logs = new LogRing(logLimits(config));
    this.history = new MetricHistory(historyLimits(config));
    this.metrics.reporting = reportsMetrics(config);
  }

  /** Goes over to what the config says now. Everything stays for which there is still room. */
  configChanged(): void {
    const { config, spans: former, history } = this;
    this.spans = newSpanRing(config, former.oldest);
    if (keepsSpans(config)) this.addSpans(former);
    this.index = new TraceIndex(this.spans);
    this.activities = new ActivityReader(this.spans);
    this.logs = new LogRing(logLimits(config), this.logs);
    this.history = new MetricHistory(historyLimits(config));
    if (reportsMetrics(config) && isKept(config.metrics_exporter)) this.history.adopt(history);
    this.metrics.reporting = reportsMetrics(config);
  }

  get registry(): MetricRegistry {
    return this.metrics;
  }

  /** Of a run of the engine that begins now: its records have numbers that no former run has given. To be called before anything is told. */
  begin(clock: Clock): void {
    const now = wallTime(clock);
    this.logs.begin(firstNumber(now));
    this.metrics.since = now;
  }

  /** Takes over what another one has kept, as far as this one keeps such things and has room; to be called before anything is told. */
  adopt(former: TelemetryStore): void {
    const { config } = this;
    if (keepsSpans(config)) this.addSpans(former.spans);
    if (keepsLogs(config)) this.logs.adopt(former.logs);
    if (!reportsMetrics(config)) return;
    this.metrics = former.registry;
    this.metrics.reporting = true;
    if (isKept(config.metrics_exporter)) this.history.adopt(former.history);
  }

  searchTraces(query: TraceQuery): MarkedTracePage {
    return { ...searchTraces(this.spans, this.index, query), end: this.spans.end };
  }

  groupTraces(grouping: TraceGrouping): TraceGroups {
    return groupTraces(this.spans, this.index, grouping);
  }

  /** Every kept trace, as queries see it. */
  traces(): Iterable<AskedTrace> {
    return this.index.traces();
  }

  /** Ids of traces of which spans came since `row`, the number of a span. */
  traceIdsSince(row: number): readonly string[] {
    const { spans: ring } = this;
    const ids = new Set<string>();
    for (let at = Math.max(row, ring.oldest); at < ring.end; at += 1) ids.add(ring.traceId(at));
    return [...ids];
  }

  /** These traces as they are now, without those of which nothing is kept. */
  asked(traceIds: readonly string[]): readonly AskedTrace[] {
    return traceIds.flatMap((traceId) => this.index.trace(traceId) ?? []);
  }

  /** What the kept spans show of each Step. */
  activity(): Activity {
    return this.activities.read();
  }

  /** Ids of kept traces that begin so; at most `most`. */
  tracesBeginningWith(prefix: string, most: number): readonly string[] {
    return this.index.beginningWith(prefix, most);
  }

  /** A `TraceView` as JSON, in pieces; undefined when nothing of the trace is kept. */
  trace(traceId: string, limit: number): readonly Uint8Array[] | undefined {
    const tree = this.tree(traceId);
    // At once: what is kept may be another thing later.
    return tree && [...traceJson(traceId, tree, limit)];
  }

  /** The spans of a trace as they came, secrets and all. */
  spansOf(traceId: string): readonly SpanRecord[] {
    return this.index.rowsOf(traceId).map((row) => this.spans.span(row));
  }

  /** Undefined when nothing of the trace is kept. */
  path(traceId: string, until?: PathEnd): CriticalPath | undefined {
    const tree = this.tree(traceId);
    return tree && criticalPath(tree, until);
  }

  /** Undefined when nothing of one of them is kept. */
  compare(a: string, b: string, { limit, ...from }: ComparedFrom & { readonly limit: number }): TraceComparison | undefined {
    const [treeA, treeB] = [this.tree(a), this.tree(b)];
    return treeA && treeB && compareTraces(treeA, treeB, limit, from);
  }

  /** Children of one span, or the roots; undefined when nothing of the trace is kept. */
  children(traceId: string, parent: string | undefined): readonly SpanRow[] | undefined {
    const tree = this.tree(traceId);
    return tree && childRows(tree, parent);
  }

  /** Lets go of what is too old and notes what metrics are. */
  tick(clock: Clock): void {
    const now = wallTime(clock);
    this.logs.expire(now);
    if (reportsMetrics(this.config) && isKept(this.config.metrics_exporter)) this.history.sample(this.registry.read(), now);
  }

  use(): StoreUse {
    const { spans, logs, history, config } = this;
    return {
      spans: {
        kept: spans.end - spans.oldest, max: config.memory_max_spans, bytes: spans.usedBytes, maxBytes: config.memory_max_bytes,
        evicted: spans.evicted.count, ...spans.end > spans.oldest ? { oldest: spans.start(spans.oldest) } : {},
      },
      logs: {
        kept: logs.end - logs.oldest, max: config.logs_max_count, bytes: logs.usedBytes, maxBytes: config.logs_max_bytes,
        evicted: logs.evicted, ...logs.end > logs.oldest ? { oldest: logs.time(logs.oldest) } : {},
      },
      metrics: { kept: history.count, max: config.metrics_max_count, evicted: history.evicted },
    };
  }

  private addSpans(former: SpanRing): void {
    for (let row = former.oldest; row < former.end; row += 1) this.spans.add(former.span(row));
  }

  private tree(traceId: string): SpanTree | undefined {
    const rows = this.index.rowsOf(traceId);
    return rows.length === 0 ? undefined : spanTree(this.spans, rows);
  }
}

function keepsSpans({ enabled, exporter }: OtelConfig): boolean {
  return enabled && isKept(exporter);
}

function keepsLogs({ enabled, logs_enabled, logs_exporter }: OtelConfig): boolean {
  return enabled && logs_enabled && isKept(logs_exporter);
}

function reportsMetrics({ enabled, metrics_enabled }: OtelConfig): boolean {
  return enabled && metrics_enabled;
}

/** What is not kept takes no room. */
function newSpanRing(config: OtelConfig, firstNumber: number): SpanRing {
  return new SpanRing(keepsSpans(config) ? config.memory_max_spans : 1, config.memory_max_bytes, firstNumber);
}

function logLimits(config: OtelConfig): LogRingLimits {
  return { maxCount: keepsLogs(config) ? config.logs_max_count : 1, maxBytes: config.logs_max_bytes, retentionMs: config.logs_retention_seconds * 1000 };
}

function historyLimits({ metrics_max_count, metrics_retention_seconds }: OtelConfig): MetricHistoryLimits {
  return { maxCount: metrics_max_count, retentionMs: metrics_retention_seconds * 1000 };
}

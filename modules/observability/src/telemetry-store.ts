import type { Clock } from '@treadle/api';
import { LogRing } from './logs/log-ring.js';
import { MetricHistory } from './metrics/metric-history.js';
import { MetricRegistry } from './metrics/metric-registry.js';
import type { OtelConfig } from './otel.config.js';
import { SpanRing } from './spans/span-ring.js';
import { type TracePage, type TraceQuery, searchTraces } from './spans/trace-search.js';
import { compareTraces, type TraceComparison } from './spans/trace-comparison.js';
import { TraceIndex } from './spans/trace-index.js';
import { criticalPath, type CriticalPath } from './spans/critical-path.js';
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
  readonly spans: SpanRing;
  readonly logs: LogRing;
  private metrics = new MetricRegistry();
  readonly history: MetricHistory;
  private readonly index: TraceIndex;

  constructor(private readonly config: OtelConfig) {
    // What is not kept takes no room.
    this.spans = new SpanRing(config.enabled && isKept(config.exporter) ? config.memory_max_spans : 1, config.memory_max_bytes);
    this.index = new TraceIndex(this.spans);
    const maxLogs = config.enabled && config.logs_enabled && isKept(config.logs_exporter) ? config.logs_max_count : 1;
    this.logs = new LogRing({ maxCount: maxLogs, maxBytes: config.logs_max_bytes, retentionMs: config.logs_retention_seconds * 1000 });
    this.history = new MetricHistory({ maxCount: config.metrics_max_count, retentionMs: config.metrics_retention_seconds * 1000 });
  }

  get registry(): MetricRegistry {
    return this.metrics;
  }

  /** Takes over what another one has kept, as far as this one keeps such things and has room; to be called before anything is told. */
  adopt(former: TelemetryStore): void {
    const { enabled, exporter, metrics_enabled, metrics_exporter, logs_enabled, logs_exporter } = this.config;
    if (!enabled) return;
    if (isKept(exporter)) for (let row = former.spans.oldest; row < former.spans.end; row += 1) this.spans.add(former.spans.span(row));
    if (logs_enabled && isKept(logs_exporter)) for (let id = former.logs.oldest; id < former.logs.end; id += 1) this.logs.add(former.logs.record(id));
    if (!metrics_enabled) return;
    this.metrics = former.registry;
    if (isKept(metrics_exporter)) this.history.adopt(former.history);
  }

  searchTraces(query: TraceQuery): TracePage {
    return searchTraces(this.spans, this.index, query);
  }

  /** A `TraceView` as JSON, in pieces; undefined when nothing of the trace is kept. */
  trace(traceId: string, limit: number): readonly Uint8Array[] | undefined {
    const tree = this.tree(traceId);
    // At once: what is kept may be another thing later.
    return tree && [...traceJson(traceId, tree, limit)];
  }

  /** Undefined when nothing of the trace is kept. */
  path(traceId: string): CriticalPath | undefined {
    const tree = this.tree(traceId);
    return tree && criticalPath(tree);
  }

  /** Undefined when nothing of one of them is kept. */
  compare(a: string, b: string, limit: number): TraceComparison | undefined {
    const [treeA, treeB] = [this.tree(a), this.tree(b)];
    return treeA && treeB && compareTraces(treeA, treeB, limit);
  }

  /** Children of one span, or the roots; undefined when nothing of the trace is kept. */
  children(traceId: string, parent: string | undefined): readonly SpanRow[] | undefined {
    const tree = this.tree(traceId);
    return tree && childRows(tree, parent);
  }

  /** Lets go of what is too old and notes what metrics are. */
  tick(clock: Clock): void {
    const now = clock.now();
    this.logs.expire(now);
    const { enabled, metrics_enabled, metrics_exporter } = this.config;
    if (enabled && metrics_enabled && isKept(metrics_exporter)) this.history.sample(this.registry.read(), now);
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

  private tree(traceId: string): SpanTree | undefined {
    const rows = this.index.rowsOf(traceId);
    return rows.length === 0 ? undefined : spanTree(this.spans, rows);
  }
}

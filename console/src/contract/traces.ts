import type { EpochMs, Items, JsonValue, MapArgument, Page, TimeArgument, UnknownField } from './common.js';

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

/** One of `GET /traces`' items. */
export interface TraceSummary {
  readonly traceId: string;
  readonly name: string;
  readonly kind: SpanKind;
  readonly route?: string;
  /** e.g. `http`, `cron`. */
  readonly trigger?: string;
  readonly startTime: EpochMs;
  /** Until its last effect. */
  readonly durationMs: number;
  /** Until the answer. */
  readonly replyMs: number;
  readonly spans: number;
  readonly steps: readonly string[];
  readonly errors: number;
  readonly retries: number;
  readonly partial: boolean;
}

export interface TracePage extends Page<TraceSummary> {
  /** Fields of `q` that nothing that is kept has. */
  readonly unknownFields?: readonly UnknownField[];
  /** How many match, on this page or not. */
  readonly total: number;
  /** `since` of `GET /traces/follow` for what ends from this answer on. */
  readonly end: number;
  /** Why something may not be there. */
  readonly note?: string;
}

/** Traces that have one value of a field. */
export interface TraceGroup {
  /** Of errors with `<n>` and `<id>` for what differs from one to the next. What is longer than 200 characters ends there with `…`. */
  readonly value: string;
  readonly count: number;
  /** Traces in which something failed. */
  readonly failed: number;
  /** Milliseconds until the last effect. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly longestMs: number;
  /** Start of the latest. */
  readonly lastAt: EpochMs;
  /** Id of the latest. */
  readonly latest: string;
}

/** `GET /traces/groups?by=`: the most frequent first. A trace with several values, such as two Steps, is in the group of each. */
export interface TraceGroups extends Items<TraceGroup> {
  /** How many traces match. */
  readonly total: number;
  /** Those of them that lack the field. */
  readonly without: number;
  /** Groups that are not among the items; at most so many where there are more than 5,000 values. */
  readonly omitted: number;
  /** Why something may not be there. */
  readonly note?: string;
}

export interface SpanEvent {
  readonly name: string;
  readonly time: EpochMs;
  readonly attributes?: Readonly<Record<string, JsonValue>>;
}

/** What the engine notes of a span: no payloads. All others are of the application, and payloads. */
export interface EngineAttributes {
  readonly 'code.file.path'?: AttributeValue;
  readonly 'code.function.name'?: AttributeValue;
  readonly 'code.line.number'?: AttributeValue;
  readonly 'cron.manual'?: AttributeValue;
  readonly 'cron.missed'?: AttributeValue;
  readonly 'cron.outcome'?: AttributeValue;
  readonly 'cron.scheduled_at'?: AttributeValue;
  readonly 'cron.trigger'?: AttributeValue;
  readonly 'http.request.method'?: AttributeValue;
  readonly 'http.response.status_code'?: AttributeValue;
  readonly 'http.route'?: AttributeValue;
  readonly 'messaging.batch.message_count'?: AttributeValue;
  readonly 'messaging.destination.name'?: AttributeValue;
  readonly 'messaging.message.id'?: AttributeValue;
  readonly 'messaging.operation.type'?: AttributeValue;
  readonly 'messaging.system'?: AttributeValue;
  readonly 'queue.enqueued_at'?: AttributeValue;
  readonly 'queue.next_attempt_at'?: AttributeValue;
  readonly 'queue.outcome'?: AttributeValue;
  readonly 'replay.edited'?: AttributeValue;
  readonly 'state.group'?: AttributeValue;
  readonly 'state.key'?: AttributeValue;
  readonly 'state.operation'?: AttributeValue;
  readonly 'state.rev.after'?: AttributeValue;
  readonly 'state.rev.before'?: AttributeValue;
  readonly 'step.attempt'?: AttributeValue;
  readonly 'step.name'?: AttributeValue;
  readonly 'step.trigger'?: AttributeValue;
  readonly 'stream.group'?: AttributeValue;
  readonly 'stream.id'?: AttributeValue;
  readonly 'stream.name'?: AttributeValue;
  readonly 'stream.rev.after'?: AttributeValue;
  readonly 'treadle.operation'?: AttributeValue;
  readonly 'url.path'?: AttributeValue;
  readonly 'url.scheme'?: AttributeValue;
}

/** A text, number, truth value or list of texts. */
export type AttributeValue = string | number | boolean | readonly string[];

/** By their names. */
export interface SpanAttributes extends EngineAttributes {
  readonly [name: string]: JsonValue;
}

/** A span as a line of the tree. */
export interface SpanRow {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startTime: EpochMs;
  readonly durationMs: number;
  readonly stepName: string;
  readonly attributes: SpanAttributes;
  readonly error?: { readonly type: string; readonly message: string; readonly stack?: string };
  readonly events?: readonly SpanEvent[];
  readonly links?: readonly string[];
  readonly depth: number;
  readonly children: number;
  readonly wait?: { readonly kind: 'queue' | 'backoff'; readonly startTime: EpochMs; readonly durationMs: number };
  readonly attempt?: number;
  readonly unattached?: 'parent is not kept' | 'its parents go in a circle';
  readonly critical: boolean;
}

/** `GET /traces/:id` */
export interface TraceView {
  readonly traceId: string;
  /** Depth first. */
  readonly rows: readonly SpanRow[];
  readonly omitted: number;
  readonly path: CriticalPath;
}

/** `GET /traces/:id/spans?parent=`: children of a span. */
export interface SpanPage extends Page<SpanRow, number> {
  /** On all pages. */
  readonly total: number;
}

export type PathKind = 'handler' | 'queue wait' | 'retry backoff' | 'state' | 'stream' | 'queue' | 'network' | 'idle' | 'other';

/** `GET /traces/:id/path?until=`: segments without gaps, together exactly `durationMs`. `until`: `effect`, the last one (default), or `reply`, the answer to the request. */
export interface CriticalPath {
  readonly segments: readonly { readonly kind: PathKind; readonly spanId: string; readonly name: string; readonly startTime: EpochMs; readonly durationMs: number }[];
  readonly startTime: EpochMs;
  readonly durationMs: number;
  readonly byKind: Readonly<Partial<Record<PathKind, number>>>;
}

export interface ComparedSpan {
  readonly spanId: string;
  readonly offsetMs: number;
  readonly durationMs: number;
  readonly attempt?: number;
  readonly error?: { readonly type: string; readonly message: string };
  readonly status?: number;
  /** Of a span that reads state: what it read, and whether there was something. */
  readonly state?: { readonly group: string; readonly key: string; readonly found: boolean };
}

export interface ComparedRow {
  readonly depth: number;
  readonly name: string;
  readonly kind: SpanKind;
  readonly stepName: string;
  readonly occurrence: number;
  readonly a?: ComparedSpan;
  readonly b?: ComparedSpan;
  readonly deltaMs?: number;
}

/** `GET /traces/compare?a=&b=` */
export interface TraceComparison {
  readonly a: TraceSummary;
  readonly b: TraceSummary;
  readonly matched: number;
  readonly onlyInA: number;
  readonly onlyInB: number;
  readonly divergence?: { readonly reason: 'only in a' | 'only in b' | 'error' | 'status' | 'state'; readonly row: ComparedRow };
  readonly rows: readonly ComparedRow[];
  readonly omitted: number;
}

/**
 * Event of `GET /traces/follow` and of the live topic `traces`: spans of a trace have ended. The summary is as of now. `dropped`: so many
 * changed traces came too fast to be sent.
 */
export type TraceEvent = TraceSummary | { readonly dropped: number };

/** Body of `POST /traces/search`. */
export interface TraceSearch {
  readonly q?: string;
  readonly step?: string;
  readonly route?: string;
  readonly status?: 'ok' | 'error';
  readonly text?: string;
  readonly minDurationMs?: number;
  readonly maxDurationMs?: number;
  readonly from?: TimeArgument;
  readonly to?: TimeArgument;
  /** Of any of its spans. */
  readonly attributes?: MapArgument;
  /** 1 to 500; default 50. */
  readonly limit?: number;
  readonly cursor?: string;
}

/** Body of `POST /traces/compare`: two traces, or what is at and below one span of each. */
export interface TraceComparisonRequest {
  readonly a: string;
  readonly b: string;
  /** With `bSpan`. */
  readonly aSpan?: string;
  readonly bSpan?: string;
  /** 1 to 20,000 rows; default 5,000. */
  readonly limit?: number;
}

/**
 * `GET /traces/:id/otlp`: the JSON of an OTLP request, as a collector gets it. It is a payload as a whole.
 * @payload all
 */
export interface OtlpTraces {
  readonly resourceSpans: readonly { readonly [name: string]: JsonValue }[];
}

/** `GET /traces/messages?topic=&q=&limit=&cursor=`: messages that were done, the latest first, as far as their spans are kept. */
export interface DoneMessages extends Page<DoneMessage> {
  /** Deliveries that this answer looked at, at most 20,000; with a `cursor` there are more behind them. */
  readonly examined: number;
  /** Why some may not be there. */
  readonly note?: string;
}

export interface DoneMessage {
  readonly messageId: string;
  readonly step: string;
  readonly topic: string;
  /** `skipped`: its condition was not met. */
  readonly outcome: 'done' | 'skipped';
  /** From 1. */
  readonly attempt: number;
  readonly durationMs: number;
  readonly doneAt: EpochMs;
  readonly traceId: string;
  readonly spanId: string;
}

import type { EpochMs, Items, JsonValue, MapArgument, Page, PayloadText, TimeArgument, UnknownField } from './common.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** One line of the log. */
export interface LogRecord {
  /** Rises with time; never used twice, by the next run of the engine neither: its records have higher ones. */
  readonly id: number;
  readonly timestamp: string;
  readonly level: LogLevel;
  readonly message: string;
  /** 32 hex digits; zeros outside a trace. */
  readonly traceId: string;
  readonly spanId: string;
  readonly service: string;
  /** Empty: the engine's own. */
  readonly stepName: string;
  readonly fields?: Readonly<Record<string, JsonValue>>;
}

/** `GET /logs` */
export interface LogPage extends Page<LogRecord, number> {
  /** Fields of `q` that nothing that is kept has. */
  readonly unknownFields?: readonly UnknownField[];
  readonly total: number;
  readonly note?: string;
}

/** `GET /logs/facets` */
export interface LogFacets extends Items<LogFacet> {
  readonly note?: string;
}

/** The values of a member of the records themselves, or of a field that their authors gave them. */
export type LogFacet = OwnFacet | FieldFacet;

interface Facet {
  readonly count: number;
  readonly truncated: boolean;
}

export interface OwnFacet extends Facet {
  readonly field: 'level' | 'stepName' | 'service';
  readonly values: readonly { readonly value: string; readonly count: number }[];
}

export interface FieldFacet extends Facet {
  readonly field: string;
  readonly values: readonly { readonly value: PayloadText; readonly count: number }[];
}

/** `GET /logs/histogram` */
export interface LogHistogram {
  readonly widthMs: number;
  readonly buckets: readonly (Readonly<Record<LogLevel, number>> & { readonly time: EpochMs })[];
  readonly note?: string;
}

/** `GET /logs/context?id=&before=&after=&scope=`: records around one, the oldest first. */
export interface LogContext {
  readonly items: readonly LogRecord[];
  /** Index of the one that was asked for. */
  readonly at: number;
}

/** `GET /logs/patterns`: records alike but for their numbers and ids, the most frequent first. */
export interface LogPattern {
  /** e.g. `order <n> failed after <n> ms` */
  readonly pattern: string;
  readonly level: LogLevel;
  readonly count: number;
  readonly first: string;
  readonly last: string;
  /** Id of the latest one. */
  readonly sample: number;
}

/** Event of `GET /logs/follow` and of the live topic `logs`. `dropped`: so many came too fast to be sent. */
export type LogEvent = LogRecord | { readonly dropped: number };

/** Body of `POST /logs/facets`. */
export interface LogFilter {
  readonly q?: string;
  /** This one and worse ones. */
  readonly level?: LogLevel;
  readonly step?: string;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly text?: string;
  readonly from?: TimeArgument;
  readonly to?: TimeArgument;
  /** By their path, e.g. `customer.id`. */
  readonly fields?: MapArgument;
}

/** Body of `POST /logs/histogram`. */
export interface LogHistogramRequest extends LogFilter {
  /** 1 to 1,000; default 60. */
  readonly buckets?: number;
}

/** Body of `POST /logs/search`. */
export interface LogSearch extends LogFilter {
  /** 1 to 5,000; default 100. */
  readonly limit?: number;
  /** Default `desc`, the latest first. */
  readonly order?: 'asc' | 'desc';
  readonly cursor?: number;
}

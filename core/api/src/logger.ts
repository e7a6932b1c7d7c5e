/** Severity of a record, the least first. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Rank of a level: a threshold or a filter lets through its own and those above. */
export const SEVERITY: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/**
 * Data of a record by name; copied and redacted before it is written. `stepName`, `traceId` and `spanId` say which run of which
 * Step the record is about: they become the record's own members.
 */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes structured records. The message is constant, the data is in the fields. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to each record. */
  child(fields: LogFields): Logger;
}

/** One line of the log. */
export interface LogRecord {
  /** ISO 8601 UTC. */
  readonly timestamp: string;
  readonly level: LogLevel;
  readonly message: string;
  /** 32 hex digits; zeros outside a trace. */
  readonly traceId: string;
  /** 16 hex digits; zeros outside a span. */
  readonly spanId: string;
  /** The configured service name. */
  readonly service: string;
  /** Empty for the engine's own lines. */
  readonly stepName: string;
  readonly fields?: LogFields;
}

/** How records are written out: one JSON object a line, or lines for people. */
export type LogFormat = 'json' | 'text';

/** Where log records go. The engine's own, `EngineLog`, has all of the optional members but perhaps `setFormat`. */
export interface LogSink {
  write(record: LogRecord): void;
  /** Records that were dropped because nobody read them in time. */
  readonly dropped?: number | undefined;
  /** False when a record of this level would go nowhere. */
  wants?(level: LogLevel): boolean;
  /** Lets the listener hear of every record that is written, made safe before; returns what ends that. It must not throw. */
  tap?(listener: (record: LogRecord) => void): () => void;
  /** Sets the least level that is written; returns what puts the former one back. */
  setLevel?(level: LogLevel): () => void;
  /** Sets the service that records name; returns what puts the former one back. */
  setService?(service: string): () => void;
  /** Sets how records are written out; returns what puts the former form back. */
  setFormat?(format: LogFormat): () => void;
}

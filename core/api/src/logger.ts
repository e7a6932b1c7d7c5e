export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

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

/**
 * One line of the log.
 * @source base specification, "Log record"
 */
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

/** Where log records go. */
export interface LogSink {
  write(record: LogRecord): void;
}

import { type Clock, type LogFields, type Logger, type LogLevel, type LogSink, NO_SPAN, NO_TRACE, wallTime } from '@treadle/api';
import { passes } from './safe-record.js';

/**
 * A logger for the engine's own lines. Those about a run of a Step name it in the fields `stepName`, `traceId` and `spanId`, which
 * become the record's own, so that it is found by Step and trace; other lines have none. Records below the sink's level, or `level` when it has none,
 * cost next to nothing.
 */
export function createLogger(sink: LogSink, base: { readonly service: string }, level: LogLevel, clock: Clock): Logger {
  return new EngineLogger({ sink, service: base.service, level, clock });
}

interface LoggerParts {
  readonly sink: LogSink;
  readonly service: string;
  readonly level: LogLevel;
  readonly clock: Clock;
}

class EngineLogger implements Logger {
  constructor(private readonly parts: LoggerParts, private readonly fields?: LogFields) {}

  debug(message: string, fields?: LogFields): void {
    this.write('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.write('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.write('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.write('error', message, fields);
  }

  child(fields: LogFields): Logger {
    return new EngineLogger(this.parts, { ...this.fields, ...fields });
  }

  private write(level: LogLevel, message: string, fields: LogFields | undefined): void {
    const { sink, service, clock } = this.parts;
    if (!(sink.wants?.(level) ?? passes(level, this.parts.level))) return;
    const all = this.fields && fields ? { ...this.fields, ...fields } : fields ?? this.fields;
    const { traceId, spanId, stepName, ...rest } = all ?? {};
    sink.write({
      timestamp: new Date(wallTime(clock)).toISOString(), level, message, traceId: textOr(NO_TRACE, traceId), spanId: textOr(NO_SPAN, spanId),
      service, stepName: textOr('', stepName), ...(Object.keys(rest).length === 0 && all === undefined ? {} : { fields: rest }),
    });
  }
}

function textOr(missing: string, value: unknown): string {
  return typeof value === 'string' ? value : missing;
}

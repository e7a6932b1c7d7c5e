import { type Clock, type LogSink, NO_SPAN, NO_TRACE, type StepId, type WorkerLogEntry } from '@treadle/api';
import type { LogOrigin } from './log-origin.js';

export interface HandlerLogOptions {
  readonly clock: Clock;
  readonly log: LogSink;
  /** Service name in log records. */
  readonly service: string;
}

/** Names of Steps that a log line tells at most. */
const TOLD_STEPS = 20;

/** Writes what handlers log, and what is to be said of Steps. */
export class HandlerLog {
  constructor(private readonly options: HandlerLogOptions) {}

  /** Writes a handler's record with the identity of its call, in the name of the application that it belongs to. */
  write(entry: WorkerLogEntry, origin?: LogOrigin, service = this.options.service): void {
    const { time, level, message, fields, stepName = '' } = entry;
    this.options.log.write({
      timestamp: new Date(time).toISOString(), level, message,
      traceId: origin?.traceId ?? NO_TRACE, spanId: origin?.spanId ?? NO_SPAN,
      service, stepName: origin?.step ?? stepName,
      ...(fields === undefined ? {} : { fields }),
    });
  }

  tell(level: 'warn' | 'error', message: string, steps: readonly StepId[], reason?: string): void {
    this.write({
      time: this.options.clock.now(), level, message,
      fields: { ...(reason !== undefined && { reason }), steps: steps.slice(0, TOLD_STEPS).join(', '), count: steps.length },
    });
  }
}

import type { MetricPoint, WorkerSpan } from '@treadle/protocol';

/** One log record of a handler. */
export interface RunnerLogEntry {
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  /** Plain JSON: a copy of what the caller passed, errors written out. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
  readonly stepName?: string | undefined;
  /** Of the run, once it has answered or was cancelled: the engine has forgotten the call by then. */
  readonly traceparent?: string | undefined;
}

/** What a StepRunner needs from its surroundings: a connection to an engine, or the engine itself. */
export interface RunnerHost {
  /** Runs an operation such as `state.get` in the name of a running invocation. Rejections carry a `code`. */
  operation(callId: number, op: string, args: unknown): Promise<unknown>;
  /** The engine's time, where it is another than the process's; milliseconds since the Unix epoch. */
  now?(): number;
  /** `callId` is undefined for output outside a handler. */
  log(callId: number | undefined, entry: RunnerLogEntry): void;
  /** Takes spans that code of handlers made by itself, with Step and attributes. */
  spans?(spans: readonly WorkerSpan[]): void;
  /** Takes what code of handlers measured. */
  measurements?(points: readonly MetricPoint[]): void;
}

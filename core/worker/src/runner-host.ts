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

/** Who asks for invocations: one session with an engine. What their handlers ask for goes there alone, for another session may have another call under the same id. */
export interface Caller {
  /** Runs an operation such as `state.get` in the name of an invocation. Rejections carry a `code`. */
  operation(callId: number, op: string, args: unknown): Promise<unknown>;
}

/** What a StepRunner needs from its surroundings: a connection to an engine, or the engine itself. */
export interface RunnerHost {
  /** The engine's time, where it is another than the process's; milliseconds since the Unix epoch. */
  now?(): number;
  /** `callId` is undefined for output outside a handler. */
  log(callId: number | undefined, entry: RunnerLogEntry): void;
  /** Takes spans that code of handlers made by itself, with Step and attributes. */
  spans?(spans: readonly WorkerSpan[]): void;
  /** Takes what code of handlers measured. */
  measurements?(points: readonly MetricPoint[]): void;
}

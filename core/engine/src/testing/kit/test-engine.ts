import type { DeadLetterReason, LogLevel, SpanRecord, TriggerDelivery } from '@treadle/api';
import type { EnqueueOptions, State, StreamClients, Topic } from 'treadle';
import type { CapturedEvent, CapturedMessage } from './captured.js';
import type { TestCronRun } from './cron-control.js';
import type { TestAnswer, TestRequest } from './http-client.js';

/** A topic by its name or by the value that `topic()` made. */
export type TestTopic = string | Topic;
export type TestEnqueueOptions = EnqueueOptions;

/** A record that a Step's handler logged, or the engine on its behalf. */
export interface TestLog {
  readonly level: LogLevel;
  readonly message: string;
  readonly step: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly traceId: string;
  /** ISO 8601 UTC; real time. */
  readonly timestamp: string;
}

/** A message that was given up. */
export interface TestDeadLetter {
  readonly messageId: string;
  readonly step: string;
  readonly topic: string;
  readonly data: unknown;
  readonly reason: DeadLetterReason;
  /** Attempts that failed. */
  readonly attempts: number;
  /** The last ones of them. */
  readonly errors: readonly { readonly message: string; readonly name?: string }[];
  /** Milliseconds since the epoch. */
  readonly deadAt: number;
  readonly traceId: string;
}

/** An application that runs inside a test. */
export interface TestEngine {
  /** Absolute folder of the application. */
  readonly root: string;
  /** Step files of other languages, which are not run here. */
  readonly notServed: readonly string[];
  /** Sends a request through routing, validation and middleware, and resolves to the whole answer, whatever its status. */
  http(method: string, path: string, request?: TestRequest): Promise<TestAnswer>;
  /** Puts a message into the queue as a Step would; resolves when it is stored, not when it is processed. */
  enqueue(topic: TestTopic, data: unknown, options?: TestEnqueueOptions): Promise<{ messageId: string }>;
  /** Delivers to a trigger of a plugin's kind, as `QueuePort.deliver` does; resolves when it is stored, not when it is processed. */
  deliver(delivery: TriggerDelivery): Promise<{ messageId: string }>;
  /**
   * Starts the cron trigger of a Step and resolves when its handler has ended, in whatever way.
   * `at`: for which time, milliseconds since the epoch as a number; default: now. `trigger`: the expression of the one, when the Step has several.
   */
  cron(step: string, options?: { readonly at?: Date | number; readonly trigger?: string }): Promise<TestCronRun>;
  /**
   * Resolves when every delivery, also those that it caused, has ended and nothing else runs. What is due later (delays, retries,
   * cron) is not waited for: see `clock`. `timeoutMs`: real time, default 10,000.
   * @throws an `Error` that names what still runs
   */
  untilIdle(options?: { readonly timeoutMs?: number }): Promise<void>;
  /** What was enqueued so far, oldest first; of one topic or of all. */
  messages(topic?: TestTopic): readonly CapturedMessage[];
  /** What Steps logged so far, oldest first. */
  logs(filter?: { readonly step?: string; readonly level?: LogLevel }): readonly TestLog[];
  /** Events that were sent to streams and are not stored, oldest first; of one stream or of all. */
  streamEvents(stream?: string): readonly CapturedEvent[];
  /** Spans that have ended, of one trace or of all. */
  spans(traceId?: string): readonly SpanRecord[];
  /** Messages that were given up, newest first. */
  deadLetters(filter?: { readonly step?: string; readonly topic?: string }): Promise<readonly TestDeadLetter[]>;
  /** As `ctx.state`. */
  readonly state: State;
  /** As `ctx.streams`. */
  readonly streams: StreamClients;
  /** The time of the engine, which stands still. `Date.now()` and timers of the application's own code are not touched. */
  readonly clock: {
    /** Milliseconds since the epoch. */
    now(): number;
    /**
     * Moves time on by `ms` milliseconds: whatever is due meanwhile happens at its own time and in order (delayed messages, retries, cron
     * ticks, time limits, values that expire), each one to its end before the next.
     */
    advance(ms: number): Promise<void>;
  };
  /** Address of a port that is open for the test, e.g. `url('stream')` for WebSocket clients. @throws an `Error` that names the known ones */
  url(name: string): string;
  /**
   * Forgets all that is stored, waits or was recorded: state, streams, messages, dead letters, logs and spans, as if the engine had just been made. The clock goes
   * back to where it stood at first, and ports may change. Handlers that still run have half a second.
   */
  reset(): Promise<void>;
  /** Ends everything. Handlers that still run have half a second. Idempotent. */
  stop(): Promise<void>;
}

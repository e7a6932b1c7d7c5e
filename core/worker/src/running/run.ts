import type { Readable } from 'node:stream';
import type { HttpInput as WireInput, SpanNotes } from '@treadle/protocol';
import { contextStorage, OperationError } from 'treadle';
import type { Caller, RunnerHost, RunnerLogEntry } from '../runner-host.js';
import { HandlerSpan } from '../telemetry/handler-span.js';
import { toFailure } from './failure.js';
import { type Answer, type StreamingAnswer, toAnswer } from './http-result.js';
import type { InvokeInput, RunOutcome } from './invoke.js';
import { isThenable } from './is-thenable.js';
import { type PipelineRun, runPipeline } from './pipeline.js';
import type { Generation } from '../setup/generation.js';
import { sourceStream } from './response-answer.js';
import { SseStream } from './response-stream.js';
import { toPlainValue } from './plain-value.js';
import type { RunnableStep, TriggerPlan } from './runnable-step.js';
import { type ContextRun, HandlerContext } from './step-context.js';
import { thrownAnswer } from './thrown-answer.js';

/** Lowest status of a thrown answer that is logged: below, the client is at fault. */
const LOGGED_FROM = 500;
const NO_RESULT: RunOutcome = Object.freeze({ ok: true });

/** What the runs of one runner share. */
export interface RunSurroundings {
  readonly host: RunnerHost;
  /** What is open now. */
  readonly open: () => Generation;
  /** Names of the streams that this process declares. */
  readonly declaredStreams: () => Iterable<string>;
  /** Handler and streamed answer are over. */
  readonly over: (run: Run) => void;
}

/** Takes the outcome of a run, and what its handler said of its span. */
export type RunAnswer = (outcome: RunOutcome, notes?: SpanNotes) => void;

/** One run of a handler, from its start until its answer is complete. */
export class Run implements ContextRun, PipelineRun {
  readonly step: RunnableStep;
  readonly plan: TriggerPlan;
  readonly invoke: InvokeInput;
  readonly context: HandlerContext;
  readonly startedAt = Date.now();
  /** First argument of the handler. */
  input: unknown;
  /** What the handler gave back to middleware around it. */
  handled: unknown;
  /** Who asked for it. Set right after construction. */
  caller!: Caller;
  /** Of the `RunList`. */
  place = 0;
  /** What was open when it began. */
  readonly open: Generation;
  readonly #around: RunSurroundings;
  readonly #done: RunAnswer;
  #controller: AbortController | undefined;
  #cancelled: string | undefined;
  #answered = false;
  #stream: Readable | undefined;
  #onFinish: (() => unknown)[] | undefined;
  #span: HandlerSpan | undefined;

  /** `step` must have the trigger that `invoke` names. */
  constructor(around: RunSurroundings, step: RunnableStep, invoke: InvokeInput, done: RunAnswer) {
    this.step = step;
    this.plan = step.plans[invoke.trigger.index] as TriggerPlan;
    this.invoke = invoke;
    this.#around = around;
    this.open = around.open();
    this.open.enter();
    this.#done = done;
    this.context = new HandlerContext(this);
  }

  /** Runs the handler; to be called inside the context's storage when something may ask it. Never throws. */
  static begin(run: Run): void {
    try {
      const value = runPipeline(run);
      if (isThenable(value)) value.then((result) => run.#succeed(result), (error: unknown) => run.#fail(error));
      else run.#succeed(value);
    } catch (error) {
      run.#fail(error);
    }
  }

  /** The run that the caller is in, as far as the context's storage is kept. */
  static current(): Run | undefined {
    const run = HandlerContext.runOf(contextStorage().getStore());
    return run instanceof Run ? run : undefined;
  }

  /** Milliseconds since the Unix epoch. */
  now(): number {
    return this.#around.host.now?.() ?? Date.now();
  }

  get declaredStreams(): RunSurroundings['declaredStreams'] {
    return this.#around.declaredStreams;
  }

  /** The wire's form of an http input. */
  get wire(): WireInput {
    return this.invoke.input as WireInput;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#cancelled !== undefined) this.#controller.abort(abortReason(this.#cancelled));
    }
    return this.#controller.signal;
  }

  /** The handler's span; keeps nothing when the trace is not sampled. */
  get span(): HandlerSpan {
    if (this.#span === undefined) {
      this.#span = new HandlerSpan(this.invoke.traceparent, this.#around.host, this.step.step);
      if (this.#answered) this.#span.close();
    }
    return this.#span;
  }

  cancel(reason: string): void {
    if (this.#cancelled !== undefined) return;
    this.#cancelled = reason;
    this.#controller?.abort(abortReason(reason));
    this.#stream?.destroy();
  }

  /** `task` runs when handler and streamed answer are over; it must not throw or reject. */
  onFinish(task: () => unknown): void {
    (this.#onFinish ??= []).push(task);
  }

  /** `pick` makes of the result what the handler gets: it saves those who need it a promise of their own. */
  operation(op: string, args: unknown, pick?: (result: unknown) => unknown): Promise<unknown> {
    try {
      return this.caller.operation(this.invoke.id, op, args).then(pick, refuse);
    } catch (error) {
      return Promise.reject(toOperationError(error) as Error);
    }
  }

  log(level: RunnerLogEntry['level'], message: string, fields?: RunnerLogEntry['fields']): void {
    const stepName = this.step.step;
    const over = this.#answered || this.#cancelled !== undefined;
    this.#around.host.log(this.invoke.id, { time: Date.now(), level, message, fields, stepName, ...(over && { traceparent: this.invoke.traceparent }) });
  }

  /** True for the runs of one session. */
  isFor(caller: Caller): boolean {
    return this.caller === caller;
  }

  /** True for the runs of one runner. */
  isOf(around: RunSurroundings): boolean {
    return this.#around === around;
  }

  /** An error of this handler that nobody caught: without it the handler would have failed, so it does unless it has answered. */
  stray(error: unknown, message: string, fields: RunnerLogEntry['fields']): void {
    this.log('error', message, fields);
    this.#fail(error);
  }

  #succeed(value: unknown): void {
    if (this.plan.type !== 'http' && !this.plan.answers) {
      this.#answer(this.#mayBeHalfDone ? toFailure(abortReason('drain')) : NO_RESULT);
      return;
    }
    try {
      if (this.plan.answers) {
        this.#answer({ ok: true, value: toPlainValue(value) });
        return;
      }
      this.#settle(toAnswer(value), this.#isByMiddleware(value));
    } catch (error) {
      this.#fail(error);
    }
  }

  /** It has a signal that said that the engine stops: it may have left the rest of its work to the next engine. */
  get #mayBeHalfDone(): boolean {
    return this.#cancelled === 'drain' && this.#controller !== undefined;
  }

  #settle(http: Answer | PromiseLike<Answer>, unchecked = false): void {
    if (isThenable(http)) http.then((answer) => this.#send(answer, unchecked)).then(undefined, (error: unknown) => this.#fail(error));
    else this.#send(http, unchecked);
  }

  #send(http: Answer, unchecked: boolean): void {
    if (http.streaming) this.#stream = this.#startStream(http);
    else this.#answer({ ok: true, http: unchecked ? { ...http, unchecked } : http });
  }

  /** The handler was not asked, or something else is answered than it gave back. */
  #isByMiddleware(value: unknown): boolean {
    if (this.plan.middleware.length + this.plan.inner.length === 0 || value === this.handled) return false;
    const [own, sent] = [this.handled, value].map((each) => (each ?? {}) as { status?: unknown; body?: unknown });
    return own?.status !== sent?.status || own?.body !== sent?.body;
  }

  #fail(error: unknown): void {
    try {
      const thrown = this.plan.type === 'http' ? thrownAnswer(error) : undefined;
      if (thrown === undefined) {
        this.#answer(toFailure(error));
        return;
      }
      if (thrown.status >= LOGGED_FROM) this.#logThrown(error);
      this.#settle(thrown.answer);
    } catch (unusable) {
      this.#answer(toFailure(unusable));
    }
  }

  #logThrown(error: unknown): void {
    const { message, name, stack } = toFailure(error);
    this.log('error', 'a handler failed', { error: message, errorName: name, stack });
  }

  #answer(outcome: RunOutcome): void {
    if (this.#answered) return;
    this.#answered = true;
    this.#finish();
    this.#tell(outcome);
  }

  #tell(outcome: RunOutcome): void {
    const span = this.#span;
    if (span === undefined) {
      this.#done(outcome);
      return;
    }
    span.close();
    this.#done(outcome, span.notes());
  }

  #startStream({ status, headers, source, produce, streaming: _, ...notes }: StreamingAnswer): Readable {
    const stream = source === undefined
      ? new SseStream({ step: this.step.step, produce: produce ?? ((): void => undefined), signal: () => this.signal, onError: (error) => this.#logStreamError(error) })
      : sourceStream(source);
    // A source that fails before anybody reads it must not take the process down.
    stream.on('error', () => undefined);
    stream.once('close', () => {
      // Closed before its end: the client has gone, or the connection to the engine.
      if (!stream.readableEnded) this.cancel('client_gone');
      this.#finish();
    });
    this.#answered = true;
    this.#tell({ ok: true, http: { status, headers, stream, ...notes } });
    if (this.#cancelled !== undefined) stream.destroy();
    return stream;
  }

  #logStreamError(error: unknown): void {
    const { message, name, stack } = toFailure(error);
    this.log('error', 'a streamed answer failed', { error: { name, message, stack } });
  }

  #finish(): void {
    if (this.invoke.streams) for (const stream of this.invoke.streams) stream.destroy();
    if (this.#onFinish) for (const task of this.#onFinish) void task();
    this.#around.over(this);
  }
}

function abortReason(reason: string): Error {
  const error = new Error(reason === 'timeout' ? 'the handler is over its time' : `the handler was cancelled: ${reason}`);
  error.name = reason === 'timeout' ? 'TimeoutError' : 'AbortError';
  return error;
}

function refuse(error: unknown): never {
  throw toOperationError(error);
}

/** The engine's rejection as the application knows it, whichever copy of the class it came from. */
function toOperationError(error: unknown): unknown {
  if (error instanceof OperationError) return error;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return typeof code === 'string' ? new OperationError(code, String(message)) : error;
}

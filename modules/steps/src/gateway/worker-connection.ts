import {
  type Call, type ChildEvents, EARLY, formatTraceParent, type InvokeRequest, OperationError, type RuntimeSession, type SessionHandle, type StepFile, StepFailure,
  type Turn, type Withdrawal, WrittenJson,
} from '@treadle/api';
import {
  type CallMessage, CLOSE, type EngineMessage, type ErrorMessage, type HelloMessage, type HttpInput, type JsonText, type LogMessage, type Message,
  type MeasurementsMessage, type RegisterMessage, type ResultMessage, type SpansMessage, StreamTable, TurnBatch, WriteAhead,
} from '@treadle/protocol';
import type { Connection, MessageReader } from './connection.js';
import { httpInputText, invokeText, settleWithError, settleWithResult } from './call-messages.js';
import { checkedPoints } from '../telemetry/checked-points.js';
import { checkedNotes, checkedSpans } from '../telemetry/checked-spans.js';
import { isCall, isFailure, isLog, isMeasurements, isRegister, isResult, isSpans, isStreamMessage } from './message-shape.js';
import type { Pulse } from './session-watch.js';
import type { Withdrawals } from './withdrawals.js';

/** What a session tells the gateway. */
export interface WorkerConnectionEvents {
  registered(message: RegisterMessage): void;
  closed(reason: string): void;
}

export interface WorkerConnectionOptions {
  readonly id: string;
  readonly hello: HelloMessage;
  readonly connection: Pick<Connection, 'write' | 'close' | 'readWaiting'>;
  readonly events: WorkerConnectionEvents;
  readonly withdrawals: Withdrawals;
  readonly turn: Turn;
  readonly pulse: Pulse;
  /** Present for children of this engine. */
  readonly child?: ChildEvents | undefined;
}

/** A Step process at the other end of a connection: writes what the engine asks for, settles calls with what comes back. */
export class WorkerConnection implements RuntimeSession, MessageReader {
  readonly id: string;
  readonly runtime: string;
  readonly version: string;
  readonly application: string | undefined;
  readonly pid: number;
  readonly hello: HelloMessage;
  readonly child: ChildEvents | undefined;
  readonly withdrawals: Withdrawals;
  /** Set right after construction, by the one who attaches it. */
  handle!: SessionHandle;
  /** Longest delay of its event loop that its heartbeat told last; milliseconds. */
  loopDelayMs: number | undefined;
  /** It was asked to go: however its process ends, no handler is to blame. */
  private leaving = false;
  private readonly batch: TurnBatch<EngineMessage>;
  private readonly streams: StreamTable;

  constructor(private readonly options: WorkerConnectionOptions) {
    const { id, hello, connection, child, withdrawals, turn } = options;
    this.id = id;
    this.hello = hello;
    this.child = child;
    this.withdrawals = withdrawals;
    this.runtime = hello.runtime;
    this.version = hello.runtimeVersion;
    this.application = hello.application;
    this.pid = hello.pid;
    const ahead = new WriteAhead();
    this.batch = new TurnBatch<EngineMessage>({
      write: (frame) => connection.write(frame, ahead.frame()), onUnwritable: (message, reason) => this.unwritable(message, reason),
      portion: EARLY.frameMessages, atEnd: (run) => turn.at('frames', run),
    });
    this.streams = new StreamTable({ side: 'engine', ahead, send: (message, weight) => this.batch.push(message, weight) });
  }

  post(message: EngineMessage): void {
    this.batch.push(message);
  }

  send(call: Call): void {
    const { request } = call;
    const { step, trigger, streams, traceId, spanId, sampled, timeoutMs, attempt } = request;
    const traceparent = formatTraceParent(traceId, call.spanId ?? spanId, sampled);
    const inputText = this.textOf(request);
    if (inputText !== undefined) {
      this.batch.pushText(...invokeText({ id: call.id, traceparent }, request, inputText));
      return;
    }
    const invoke = { type: 'invoke', id: call.id, step, trigger, input: request.input, traceparent, timeoutMs, attempt } as const;
    if (streams === undefined) this.batch.push(invoke);
    else this.batch.push({ ...invoke, streams: streams.map((stream) => this.streams.send(stream)) });
  }

  cancel(call: Call, reason: 'timeout' | 'client_gone' | 'drain'): void {
    this.batch.push({ type: 'cancel', id: call.id, reason });
  }

  withdraw(call: Call, told: (what: Withdrawal) => void): void {
    this.withdrawals.ask(call.id, (what) => {
      if (what === 'withdrawn') this.probe();
      told(what);
    });
  }

  relieve(): void {
    this.child?.onRelief();
  }

  /** Answered once it has read what came before. */
  probe(): void {
    this.post({ type: 'ping' });
  }

  load(files: readonly StepFile[]): void {
    this.batch.push({ type: 'load', files });
  }

  drain(deadlineMs: number): void {
    this.leaving = true;
    this.handle.retire();
    this.batch.push({ type: 'drain', deadlineMs });
  }

  gone(reason: string): void {
    this.options.connection.readWaiting();
    this.lost(reason, !this.leaving);
    this.options.connection.close(CLOSE.goingAway, reason);
  }

  /** Ends the connection; its running calls fail. */
  close(code: number, reason: string): void {
    this.options.connection.readWaiting();
    this.batch.flush();
    this.options.connection.close(code, reason);
    this.lost(reason, false);
  }

  take(message: Message): boolean {
    this.options.pulse.heard = true;
    switch (message.type) {
      case 'result': return this.takeResult(message);
      case 'error': return this.takeError(message);
      case 'call': return this.takeCall(message);
      case 'log': return this.takeLog(message);
      case 'spans': return this.takeSpans(message);
      case 'measurements': return this.takeMeasurements(message);
      case 'chunk':
      case 'credit': return this.takeStream(message);
      case 'register': return this.takeRegister(message);
      case 'pong': return this.takePong();
      case 'alive': return true;
      default: return false;
    }
  }

  closed(reason: string, broken: boolean): void {
    this.lost(reason, broken && !this.leaving);
    this.options.events.closed(reason);
  }

  /** What JavaScript reads as one number may be too many digits for another language: there goes what was validated. */
  private textOf(request: InvokeRequest): JsonText | undefined {
    const { inputText, bodyText, streams } = request;
    if (streams !== undefined) return undefined;
    if (inputText !== undefined) return [inputText];
    return bodyText !== undefined && this.runtime === 'node' ? httpInputText(request.input as HttpInput, bodyText) : undefined;
  }

  private lost(reason: string, died: boolean): void {
    this.handle.lost(reason, died);
    this.withdrawals.close();
    this.streams.close(`the worker was lost: ${reason}`);
  }

  private takeResult(message: ResultMessage): boolean {
    if (!isResult(message)) return false;
    const call = this.handle.call(message.id);
    // A result that crossed its cancellation; a stream that it opens is turned away at once.
    if (call) {
      note(call, message);
      settleWithResult(call, message, this.streams);
    } else if (message.http?.body?.kind === 'stream') {
      this.post({ type: 'credit', stream: message.http.body.stream, chunks: 0 });
    }
    return true;
  }

  private takeError(message: ErrorMessage): boolean {
    if (!isFailure(message)) return false;
    const call = this.handle.call(message.id);
    if (!call) return true;
    note(call, message);
    settleWithError(call, message);
    return true;
  }

  private takeCall(message: CallMessage): boolean {
    if (!isCall(message)) return false;
    const { call } = message;
    this.handle.execute(message.id, message.op, message.args).then(
      (value) => this.reply(call, value),
      (error: unknown) => this.post({ type: 'reply', call, error: operationError(error) }),
    );
    return true;
  }

  private reply(call: number, value: unknown): void {
    if (value instanceof WrittenJson) this.batch.pushText(`{"type":"reply","call":${JSON.stringify(call)},"value":`, value.text, '}');
    else this.post(value === undefined ? { type: 'reply', call } : { type: 'reply', call, value });
  }

  private takeLog(message: LogMessage): boolean {
    if (!isLog(message)) return false;
    this.handle.log(message.id, message);
    return true;
  }

  private takeSpans(message: SpansMessage): boolean {
    if (!isSpans(message)) return false;
    this.handle.spans(checkedSpans(message.spans));
    return true;
  }

  private takeMeasurements(message: MeasurementsMessage): boolean {
    if (!isMeasurements(message)) return false;
    this.handle.measurements(checkedPoints(message.points));
    return true;
  }

  private takeStream(message: Extract<Message, { type: 'chunk' | 'credit' }>): boolean {
    if (!isStreamMessage(message)) return false;
    this.streams.handle(message);
    return true;
  }

  private takePong(): boolean {
    this.handle.caughtUp();
    return true;
  }

  private takeRegister(message: RegisterMessage): boolean {
    if (!isRegister(message)) return false;
    this.options.events.registered(message);
    return true;
  }

  /** Only what a module or an operation handed over can be unwritable: its call fails, the rest of the turn goes on. */
  private unwritable(message: EngineMessage, reason: unknown): void {
    const text = `cannot be written as JSON: ${reason instanceof Error ? reason.message : String(reason)}`;
    if (message.type === 'invoke') {
      this.handle.call(message.id)?.fail(new StepFailure('unhandled_exception', `the input ${text}`));
    } else if (message.type === 'reply') {
      this.post({ type: 'reply', call: message.call, error: { code: 'UNWRITABLE_RESULT', message: `the result ${text}` } });
    }
  }
}

/** Keeps what a worker tells of a run beside its result. */
function note(call: Call, { ms, span }: Pick<ResultMessage, 'ms' | 'span'>): void {
  if (ms !== undefined || span !== undefined) call.report = { ms, span: span === undefined ? undefined : checkedNotes(span) };
}

function operationError(error: unknown): { code: string; message: string } {
  const message = error instanceof Error ? error.message : String(error);
  return { code: error instanceof OperationError ? error.code : 'OPERATION_FAILED', message };
}

import {
  MAX_FRAME_BYTES, type InvokeMessage, type LoadMessage, type MetricPoint, type StepFileReport, type WelcomeMessage, type WorkerSpan,
} from '@treadle/protocol';
import { OperationError } from 'treadle';
import type { Caller, RunnerHost, RunnerLogEntry } from '../runner-host.js';
import type { InvokeInput } from '../running/invoke.js';
import { EngineSocket, type ClosedReason, type EngineSocketOptions, type SessionMessage } from './engine-socket.js';
import { CallGate } from './call-gate.js';
import { Heartbeat } from './heartbeat.js';
import { BodySender } from './body-sender.js';
import { PendingCalls } from './pending-calls.js';
import { LogOutlet } from './log-outlet.js';
import { resultText } from './result-text.js';
import type { StepRunner } from '../step-runner.js';

/** Why a run is cancelled whose session has ended. */
const ENGINE_LOST = 'engine_lost';

/** The heartbeat begins with the first catalog, or this long after the greeting; in milliseconds. */
const HEARTBEAT_DELAY_MS = 1_000;

/** How long an engine may take to say that it sends nothing more; in milliseconds. */
const FAREWELL_MS = 2_000;

/** Largest arguments of an operation: more would exceed the largest frame, and that ends the session. */
const MAX_ARGS_BYTES = MAX_FRAME_BYTES - 4_096;

export interface WorkerSessionOptions extends Pick<EngineSocketOptions, 'url' | 'token' | 'hello'> {
  readonly runner: StepRunner;
  /** Only children are told what to load. */
  readonly loads: boolean;
  /** The session began; register what is served. */
  readonly onWelcome?: (welcome: WelcomeMessage) => void;
  /** Everything that ran has finished after `drain`; the connection is closed. */
  readonly onDrained: () => void;
  /** The connection ended otherwise. Called at most once. */
  readonly onLost: (reason: ClosedReason) => void;
}

/** One session with an engine: hands its messages to the runner and the runner's to it. */
export class WorkerSession implements RunnerHost, Caller {
  readonly #options: WorkerSessionOptions;
  readonly #socket: EngineSocket;
  readonly #calls = new PendingCalls();
  readonly #gate = new CallGate();
  readonly #bodies: BodySender;
  readonly #logs: LogOutlet;
  readonly #parent = process.ppid;
  #welcome: WelcomeMessage | undefined;
  #heartbeat: Heartbeat | undefined;
  #heartbeatTimer: NodeJS.Timeout | undefined;
  #draining = false;
  #onFarewell: (() => void) | undefined;
  /** This side has closed the connection. */
  #left = false;
  #lost = false;

  constructor(options: WorkerSessionOptions) {
    this.#options = options;
    this.#socket = new EngineSocket({
      url: options.url, token: options.token, hello: options.hello, onWelcome: (welcome) => this.#begin(welcome),
      onMessage: (message) => this.#take(message), onClose: (reason) => this.#close(reason),
    });
    this.#bodies = new BodySender(this.#socket.streams);
    this.#logs = new LogOutlet({ send: (json) => this.#socket.sendText(json), waiting: () => this.#socket.waiting });
  }

  operation(callId: number, op: string, args: unknown): Promise<unknown> {
    if (this.#lost) return Promise.reject(new OperationError('EngineLost', 'the connection to the engine that started this handler was lost'));
    // Written down now: the handler may change its arguments while the call is under way.
    const text = JSON.stringify(args) as string | undefined;
    if (text !== undefined && text.length * 3 > MAX_ARGS_BYTES && Buffer.byteLength(text) > MAX_ARGS_BYTES) return Promise.reject(tooLarge(op, text));
    const { call, reply } = this.#calls.add();
    this.#socket.sendText(`{"type":"call","call":${call},"id":${callId},"op":${JSON.stringify(op)}${text === undefined ? '' : `,"args":${text}`}}`);
    return reply;
  }

  log(callId: number | undefined, entry: RunnerLogEntry): void {
    this.#logs.log(callId, entry);
  }

  spans(spans: readonly WorkerSpan[]): void {
    this.#socket.sendText(JSON.stringify({ type: 'spans', spans }));
  }

  measurements(points: readonly MetricPoint[]): void {
    this.#socket.sendText(JSON.stringify({ type: 'measurements', points }));
  }

  /** Tells the engine the whole catalog. `whole`: the application has no other files. */
  register(reports: readonly StepFileReport[], whole = true): void {
    const complete = whole && reports.every(({ problem }) => !problem);
    this.#socket.sendText(JSON.stringify({ type: 'register', reports, complete }));
    this.#startHeartbeat();
  }

  /**
   * Leaves in order: nothing new is served, what runs finishes, the connection is closed. The engine answers with `drain`;
   * until then invocations may be on their way, which would be lost with the connection.
   */
  async leave(): Promise<void> {
    this.#socket.send({ type: 'register', reports: [], complete: false });
    if (this.#welcome && !this.#lost && !this.#draining) await this.#farewell();
    await this.#finish();
  }

  #farewell(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, FAREWELL_MS);
      this.#onFarewell = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Writes what waits for the end of the turn. */
  flush(): void {
    this.#socket.flush();
  }

  #begin(welcome: WelcomeMessage): void {
    this.#welcome = welcome;
    // Its thread would compete with the loading of the Steps, which everybody waits for.
    this.#heartbeatTimer = setTimeout(() => this.#startHeartbeat(), HEARTBEAT_DELAY_MS);
    this.#options.onWelcome?.(welcome);
  }

  #startHeartbeat(): void {
    clearTimeout(this.#heartbeatTimer);
    if (this.#heartbeat || !this.#welcome || this.#lost || this.#draining) return;
    const { session, heartbeatMs: intervalMs } = this.#welcome;
    const { url, token, loads } = this.#options;
    this.#heartbeat = new Heartbeat({ url, token, session, intervalMs, gate: this.#gate.memory, parent: loads ? this.#parent : undefined });
  }

  #stopHeartbeat(): void {
    clearTimeout(this.#heartbeatTimer);
    this.#heartbeat?.stop();
  }

  #take(message: SessionMessage): void {
    switch (message.type) {
      case 'invoke': return this.#invoke(message);
      case 'reply': return this.#calls.settle(message);
      case 'cancel': return this.#options.runner.cancel(message.id, message.reason);
      case 'chunk':
      case 'credit': return this.#socket.streams.handle(message);
      case 'load': return void this.#load(message);
      case 'ping': return this.#socket.send({ type: 'pong' });
      case 'drain': return this.#drain();
    }
  }

  #invoke(message: InvokeMessage): void {
    if (!this.#gate.enter(message.id)) return;
    const { streams: table } = this.#socket;
    // Most invocations have no streams; then the message is what the runner takes.
    const invoke = (message.streams ? { ...message, streams: message.streams.map((id) => table.receive(id)) } : message) as InvokeInput;
    const began = isSampled(message.traceparent) ? performance.now() : undefined;
    this.#options.runner.start(invoke, this, (outcome, span) => {
      if (this.#lost) return;
      this.#gate.leave(message.id);
      const report = began === undefined ? undefined : { ms: round(performance.now() - began), span };
      this.#socket.sendText(resultText(message.id, outcome, this.#bodies, report));
    });
  }

  async #load({ files }: LoadMessage): Promise<void> {
    if (this.#options.loads) this.register(await this.#options.runner.load(files));
  }

  #drain(): void {
    if (this.#onFarewell) return this.#onFarewell();
    if (this.#draining) return;
    this.#draining = true;
    void this.#finish().then((inOrder) => inOrder && this.#options.onDrained());
  }

  /** False: the connection was lost while something ran, and `onLost` has told it. */
  async #finish(): Promise<boolean> {
    await this.#options.runner.idle();
    // A process that was started by hand goes on with the next engine.
    if (this.#options.loads) await this.#options.runner.close();
    if (this.#lost) return false;
    this.#draining = this.#left = true;
    this.#stopHeartbeat();
    this.#socket.close();
    return true;
  }

  #close(reason: ClosedReason): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#logs.close();
    this.#onFarewell?.();
    this.#stopHeartbeat();
    this.#calls.lose();
    this.#options.runner.cancelAll(ENGINE_LOST, this);
    // Lost while draining: nobody waits for what still runs.
    if (!this.#left) this.#options.onLost(reason);
  }
}

const isSampled = (traceparent: string): boolean => traceparent.charCodeAt(54) === 49;

/** To microseconds: more digits would only make messages longer. */
const round = (ms: number): number => Math.round(ms * 1000) / 1000;

function tooLarge(op: string, text: string): OperationError {
  return new OperationError('ValueTooLarge', `the arguments of ${op} have ${Buffer.byteLength(text)} bytes; at most ${MAX_ARGS_BYTES} can be sent`);
}

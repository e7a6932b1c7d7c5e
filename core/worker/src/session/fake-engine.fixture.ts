import { EventEmitter, once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { StreamTable, type EngineMessage, type HelloMessage, type WithdrawalMessage, type WorkerMessage } from '@treadle/protocol';
import { WebSocketServer, type WebSocket } from 'ws';
import { TRACEPARENT, httpInput } from '../runner.fixture.js';

type Of<T extends WorkerMessage['type']> = Extract<WorkerMessage, { type: T }>;

/** One worker's main connection, seen from the engine. */
export class FakeSession {
  readonly received: WorkerMessage[] = [];
  readonly frames: string[] = [];
  readonly streams: StreamTable;
  /** Streamed answers by invocation. */
  readonly bodies = new Map<number, Readable>();
  closeCode: number | undefined;
  readonly #socket: WebSocket;
  readonly #events = new EventEmitter();
  #lastId = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    this.#events.setMaxListeners(100);
    this.streams = new StreamTable({ side: 'engine', send: (message) => this.send(message) });
    socket.on('close', (code) => {
      this.closeCode = code;
      this.#events.emit('any');
    });
  }

  take(frame: string): void {
    this.frames.push(frame);
    for (const message of JSON.parse(frame) as WorkerMessage[]) {
      this.received.push(message);
      if (message.type === 'chunk' || message.type === 'credit') this.streams.handle(message);
      // To be opened before its first chunk is handled.
      if (message.type === 'result' && message.http?.body?.kind === 'stream') this.bodies.set(message.id, this.streams.receive(message.http.body.stream));
    }
    this.#events.emit('any');
  }

  send(...messages: EngineMessage[]): void {
    this.#socket.send(JSON.stringify(messages));
  }

  sendText(frame: string): void {
    this.#socket.send(frame);
  }

  close(): void {
    this.#socket.close();
  }

  /** The first message that fits, also one that came before. */
  async first<T extends WorkerMessage['type']>(type: T, fits: (message: Of<T>) => boolean = () => true): Promise<Of<T>> {
    for (;;) {
      const found = this.received.find((message): message is Of<T> => message.type === type && fits(message as Of<T>));
      if (found) return found;
      if (this.closeCode !== undefined) throw new Error(`the worker left with ${this.closeCode} before it sent ${type}`);
      await once(this.#events, 'any', { signal: AbortSignal.timeout(60_000) });
    }
  }

  async closed(): Promise<number> {
    while (this.closeCode === undefined) await once(this.#events, 'any', { signal: AbortSignal.timeout(60_000) });
    return this.closeCode;
  }

  /** Starts a Step and returns the invocation's id. */
  invoke(step: string, input: object = {}, extra: object = {}): number {
    const id = ++this.#lastId;
    this.send({ type: 'invoke', id, step, trigger: { type: 'http', index: 0 }, input: httpInput(input), traceparent: TRACEPARENT, timeoutMs: 30_000, attempt: 1, ...extra });
    return id;
  }

  result(id: number): Promise<Of<'result'>> {
    return this.first('result', (message) => message.id === id);
  }

  async json(id: number): Promise<unknown> {
    const { http } = await this.result(id);
    return http?.body?.kind === 'json' && 'text' in http.body ? JSON.parse(http.body.text) as unknown : http;
  }
}

/** An engine as far as the worker channel goes. */
export class FakeEngine {
  readonly token = 'the-token';
  readonly heartbeats: WorkerMessage[] = [];
  #heartbeat: WebSocket | undefined;
  readonly hellos: HelloMessage[] = [];
  readonly sessions: FakeSession[] = [];
  readonly #http: Server = createServer();
  readonly #events = new EventEmitter();
  readonly #sockets = new Set<WebSocket>();
  /** Put in the place of a welcome. */
  refusal: { code: string; message: string; close: number } | undefined;

  constructor() {
    this.#events.setMaxListeners(100);
    const server = new WebSocketServer({ server: this.#http, perMessageDeflate: false });
    server.on('connection', (socket) => this.#accept(socket));
  }

  /** Listens on a socket file, or on a free port. Returns the URL. */
  async listen(where: string | number = 0): Promise<string> {
    if (typeof where === 'string') this.#http.listen(where);
    else this.#http.listen(where, '127.0.0.1');
    await once(this.#http, 'listening');
    return typeof where === 'string' ? `ws+unix:${where}:/` : `ws://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** The n-th session that was welcomed, from 0. */
  async session(index = 0): Promise<FakeSession> {
    for (;;) {
      const session = this.sessions[index];
      if (session) return session;
      await once(this.#events, 'any', { signal: AbortSignal.timeout(60_000) });
    }
  }

  async heartbeat(fits: (message: WorkerMessage) => boolean): Promise<WorkerMessage> {
    for (;;) {
      const found = this.heartbeats.find(fits);
      if (found) return found;
      await once(this.#events, 'any', { signal: AbortSignal.timeout(60_000) });
    }
  }

  /** Asks for an invocation over the newest heartbeat connection. */
  async withdraw(id: number): Promise<'withdrawn' | 'begun' | 'ended'> {
    this.#heartbeat?.send(JSON.stringify([{ type: 'withdraw', id }]));
    const { done, ended } = await this.heartbeat((message) => message.type === 'withdrawal' && message.id === id) as WithdrawalMessage;
    if (done) return 'withdrawn';
    return ended ? 'ended' : 'begun';
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.terminate();
    this.#http.close();
    if (this.#http.listening) await once(this.#http, 'close');
  }

  #accept(socket: WebSocket): void {
    this.#sockets.add(socket);
    socket.once('message', (data) => {
      const [hello, ...rest] = JSON.parse(String(data)) as [HelloMessage, ...WorkerMessage[]];
      this.hellos.push(hello);
      if (this.refusal) return this.#refuse(socket, this.refusal);
      socket.send(JSON.stringify([{ type: 'welcome', session: `s${this.sessions.length}`, protocol: 1, engineVersion: '0.1.0', mode: 'production', heartbeatMs: 100, credits: { request: 1024, delivery: 100 } }]));
      if (hello.role === 'heartbeat') {
        this.#heartbeat = socket;
        socket.on('message', (more) => this.#beat(JSON.parse(String(more)) as WorkerMessage[]));
        return this.#beat([hello, ...rest]);
      }
      const session = new FakeSession(socket);
      socket.on('message', (more) => session.take(String(more)));
      this.sessions.push(session);
      this.#events.emit('any');
    });
  }

  #beat(messages: readonly WorkerMessage[]): void {
    this.heartbeats.push(...messages);
    this.#events.emit('any');
  }

  #refuse(socket: WebSocket, { code, message, close }: { code: string; message: string; close: number }): void {
    socket.send(JSON.stringify([{ type: 'refused', code, message }]));
    socket.close(close);
    this.#events.emit('any');
  }
}

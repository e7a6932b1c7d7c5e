import {
  CLOSE, MAX_FRAME_BYTES, parseFrame, PROTOCOL_VERSION, StreamTable, TurnBatch, WriteAhead,
  type EngineMessage, type HelloMessage, type RefusedMessage, type WelcomeMessage, type WorkerMessage,
} from '@treadle/protocol';
import { WebSocket, type ClientOptions, type RawData } from 'ws';
import { SDK_VERSION } from '../version.js';
import { connectFault, strangePeer } from './connect-fault.js';
import { Inbox } from './inbox.js';

/** Messages after the greeting. */
export type SessionMessage = Exclude<EngineMessage, WelcomeMessage | RefusedMessage>;

export interface EngineSocketOptions {
  /** `ws:`, `wss:` or `ws+unix:`. */
  readonly url: string;
  readonly token: string;
  readonly hello: Partial<Pick<HelloMessage, 'childId' | 'application' | 'build' | 'root'>>;
  readonly onWelcome: (welcome: WelcomeMessage) => void;
  /** In the order in which they were sent. */
  readonly onMessage: (message: SessionMessage) => void;
  /** The connection ended or could not be made. Called once. */
  readonly onClose: (reason: ClosedReason) => void;
}

/** Why a connection ended. */
export interface ClosedReason {
  /** WebSocket close code; 1006 when there was none. */
  readonly code: number;
  readonly message: string;
  /** The engine's refusal, e.g. `bad_token`. */
  readonly refused?: string | undefined;
}

/** Bytes are UTF-8 as well. */
const AS_TEXT = { binary: false };

/** Time to reach the engine and be greeted by it, in milliseconds. */
const GREETING_TIMEOUT_MS = 10_000;

/**
 * Masks keep proxies from taking what a client sends for something else. A unix socket has none in between, and there a
 * mask of zeros saves both sides from touching every byte.
 * @source RFC 6455, section 10.3
 */
const unmasked = (url: string): Pick<ClientOptions, 'generateMask'> => (url.startsWith('ws+unix:') ? { generateMask: (mask) => void mask.fill(0) } : {});

/** One connection to an engine: greeting, frames and streams. */
export class EngineSocket {
  /** Streams of this connection, in both directions. */
  readonly streams: StreamTable;
  readonly #options: EngineSocketOptions;
  readonly #socket: WebSocket;
  readonly #batch: TurnBatch<WorkerMessage>;
  readonly #ahead = new WriteAhead();
  readonly #greeting: NodeJS.Timeout;
  readonly #inbox = new Inbox((message) => this.#take(message));
  #problem: Partial<ClosedReason> = {};
  #open = false;

  constructor(options: EngineSocketOptions) {
    this.#options = options;
    this.#batch = new TurnBatch({ write: (frame) => this.#socket.send(frame, AS_TEXT, this.#ahead.frame()) });
    this.streams = new StreamTable({ side: 'worker', ahead: this.#ahead, send: (message, weight) => this.#push(message, weight) });
    this.#socket = new WebSocket(options.url, {
      perMessageDeflate: false, maxPayload: MAX_FRAME_BYTES, handshakeTimeout: GREETING_TIMEOUT_MS, ...unmasked(options.url),
    });
    this.#greeting = setTimeout(() => this.#socket.terminate(), GREETING_TIMEOUT_MS);
    this.#socket.on('open', () => this.#greet());
    this.#socket.on('message', (frame, binary) => this.#receive(frame, binary));
    this.#socket.on('error', (error) => {
      this.#problem = { message: this.#open ? error.message : connectFault(this.#options.url, error.message), ...this.#problem };
    });
    this.#socket.on('close', (code, reason) => this.#closed(code, reason.toString()));
  }

  /** Bytes that the system has not taken yet. */
  get waiting(): number {
    return this.#socket.bufferedAmount;
  }

  send(message: WorkerMessage): void {
    this.#push(message, 0);
  }

  /** Sends a message that is JSON text already. */
  sendText(json: string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#batch.pushText(json);
  }

  /** Writes what waits for the end of the turn, e.g. before the process ends. */
  flush(): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#batch.flush();
  }

  /** Sends what is left and says goodbye. */
  close(): void {
    this.flush();
    this.#socket.close(CLOSE.normal);
  }

  #push(message: WorkerMessage, weight: number): void {
    // What a handler still says after the connection went away concerns nobody any more.
    if (this.#socket.readyState === WebSocket.OPEN) this.#batch.push(message, weight);
  }

  #greet(): void {
    this.send({
      type: 'hello', role: 'main', protocol: PROTOCOL_VERSION, runtime: 'node', runtimeVersion: process.version,
      sdkVersion: SDK_VERSION, token: this.#options.token, pid: process.pid, withdraws: true, ...this.#options.hello,
    });
    this.flush();
  }

  #receive(frame: RawData, binary: boolean): void {
    const messages = binary ? undefined : parseFrame<EngineMessage>((frame as Buffer).toString('utf8'));
    if (!messages) {
      if (!this.#open) this.#problem = { message: strangePeer(this.#options.url), ...this.#problem };
      this.#socket.close(CLOSE.badMessage, 'a frame is a JSON array of messages');
      return;
    }
    this.#inbox.add(messages);
  }

  #take(message: EngineMessage): void {
    if (message.type === 'refused') {
      this.#problem = { message: message.message, refused: message.code };
    } else if (message.type === 'welcome') {
      clearTimeout(this.#greeting);
      this.#open = true;
      if (message.chunks !== undefined) this.streams.beginWith(message.chunks);
      this.#options.onWelcome(message);
    } else if (this.#open) {
      this.#options.onMessage(message);
    }
  }

  #closed(code: number, reason: string): void {
    clearTimeout(this.#greeting);
    this.#open = false;
    this.streams.close('the connection to the engine was lost');
    this.#options.onClose({ code, message: reason || 'the connection was closed', ...this.#problem });
  }
}

import type { Clock, Timer } from '@treadle/api';
import { CLOSE, HELLO_TIMEOUT_MS, type HelloMessage, type Message, parseFrame, type RefusedMessage } from '@treadle/protocol';
import type { WebSocket } from 'ws';
import { frameFault, messageFault } from './frame-fault.js';
import { isHello } from './message-shape.js';

/** Who reads the messages of a connection once `hello` was accepted. */
export interface MessageReader {
  /** False: the message breaks the protocol. */
  take(message: Message): boolean;
  /** The connection is over. Called once. `broken`: the peer went without a word, as a process does that dies. */
  closed(reason: string, broken: boolean): void;
}

export interface ConnectionOptions {
  readonly socket: WebSocket;
  readonly clock: Clock;
  /** Decides on a connection; returns undefined after it has refused it. */
  readonly onHello: (hello: HelloMessage, connection: Connection) => MessageReader | undefined;
  readonly onClosed: (connection: Connection) => void;
  /** It broke the protocol and is about to be closed. */
  readonly onFault: (fault: string, connection: Connection) => void;
}

/** Frames from this size on are read in a turn of their own; in bytes. */
const LARGE_FRAME_BYTES = 64 * 1024;
/** Bytes are UTF-8 as well. */
const AS_TEXT = { binary: false };
/** WebSocket close code that stands for a connection that ended without one. */
const NO_CLOSE_FRAME = 1006;
/** How long a peer that was told to go may take before its socket is cut; milliseconds. */
const LEAVE_MS = 1_000;

/** One WebSocket connection of a Step process. Whatever arrives on it, the worst that happens is that it is closed. */
export class Connection {
  private reader: MessageReader | undefined;
  private closing = false;
  /** It sent what is no frame. */
  private faulty = false;
  private reason = '';
  /** Frames that have come and were not read. */
  private readonly waiting: Buffer[] = [];
  private readonly helloTimer: Timer;
  private leaveTimer: Timer | undefined;

  constructor(private readonly options: ConnectionOptions) {
    const { socket, clock } = options;
    this.helloTimer = clock.after(HELLO_TIMEOUT_MS, () => this.fault(CLOSE.helloTimeout, 'no hello within 5 s'));
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (this.closing) return;
      if (isBinary) this.fault(CLOSE.badMessage, 'frames are text');
      else if (data.length > LARGE_FRAME_BYTES || this.waiting.length > 0) this.readLater(data);
      else this.take(data);
    });
    // An oversized frame or a broken connection; `close` follows.
    socket.on('error', (error) => {
      this.faulty = true;
      this.reason ||= error.message;
      options.onFault(error.message, this);
    });
    socket.on('close', (code) => this.over(code));
  }

  /** Sends one frame and says when the system has taken it. Does nothing once the connection is closing. */
  write(frame: string | Uint8Array, taken?: () => void): void {
    if (!this.closing && this.options.socket.readyState === this.options.socket.OPEN) this.options.socket.send(frame, AS_TEXT, taken);
  }

  refuse(message: Omit<RefusedMessage, 'type'>, code: number): void {
    this.write(JSON.stringify([{ type: 'refused', ...message }]));
    this.close(code, message.code);
  }

  /** Reads at once what has come and waits for a turn of its own: before what is lost with the connection is decided. */
  readWaiting(): void {
    for (const data of this.waiting.splice(0)) this.take(data);
  }

  /** Says goodbye; a peer that does not leave is cut off after a second. */
  close(code: number, reason: string): void {
    if (this.closing) return;
    this.closing = true;
    this.reason = reason;
    this.helloTimer.cancel();
    this.options.socket.close(code, reason);
    this.leaveTimer = this.options.clock.after(LEAVE_MS, () => this.options.socket.terminate());
  }

  /** Tells the peer why before it is closed: a close frame has no room for more than a line. */
  private fault(code: number, fault: string): void {
    this.options.onFault(fault, this);
    this.write(JSON.stringify([{ type: 'refused', code: 'bad_message', message: fault }]));
    this.close(code, 'the frame breaks the protocol');
  }

  /** What a large frame asks for has a turn of the event loop to itself; those that come after it wait for theirs. */
  private readLater(data: Buffer): void {
    this.waiting.push(data);
    if (this.waiting.length > 1) return;
    this.options.socket.pause();
    setImmediate(this.readNext);
  }

  private readonly readNext = (): void => {
    const data = this.waiting.shift();
    if (data) this.take(data);
    if (this.waiting.length > 0) setImmediate(this.readNext);
    else this.options.socket.resume();
  };

  private take(data: Buffer): void {
    if (this.closing) return;
    const fault = this.read(data.toString());
    if (fault !== undefined) this.fault(CLOSE.badMessage, fault);
  }

  /** What is wrong with the frame, or undefined. */
  private read(text: string): string | undefined {
    const messages = parseFrame<Message>(text);
    if (!messages) return frameFault(text);
    for (const message of messages) {
      if (this.closing) return undefined;
      const greeted = this.reader !== undefined;
      if (!(this.reader ? this.reader.take(message) : this.greet(message))) return messageFault(message, greeted);
    }
    return undefined;
  }

  private greet(message: Message): boolean {
    if (!isHello(message)) return false;
    this.helloTimer.cancel();
    this.reader = this.options.onHello(message, this);
    return true;
  }

  private over(code: number): void {
    this.readWaiting();
    const broken = !this.closing && !this.faulty && code === NO_CLOSE_FRAME;
    this.closing = true;
    this.helloTimer.cancel();
    this.leaveTimer?.cancel();
    this.options.onClosed(this);
    this.reader?.closed(this.reason || `connection closed (${code})`, broken);
    this.reader = undefined;
  }
}

import { connect, type Socket } from 'node:net';
import { type Group, STREAM } from './application.js';
import type { Expected, PublishedEvent } from './expected.js';
import { clientFrame, type Frame, FrameSplitter } from './frames.js';

const HANDSHAKE = 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'
  + 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';
const [TEXT, CLOSE, PING, PONG] = [1, 8, 9, 10];
/** All readers of a process read into the same memory: nothing is kept of what they read. */
const READ_BUFFER = Buffer.alloc(256 * 1024);
const MOST_FAULTS = 3;

/** What a reader follows, and how far it is. */
interface Followed {
  readonly group: Group;
  /** Undefined before its sync. */
  seq: number | undefined;
  last: boolean;
}

/** One connection that joins groups and checks all that comes: each event once, in order, and as the others get it. */
export class Reader {
  readonly faults: string[] = [];
  /** Code of the server's close frame, or `cut` without one; undefined while it is connected. */
  ended: number | 'cut' | undefined;
  events = 0;
  private readonly socket: Socket;
  private readonly frames = new FrameSplitter();
  private readonly followed: readonly Followed[];
  private upgraded = false;
  private waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;

  constructor(port: number, groups: readonly Group[], private readonly expected: Expected, private readonly onEvent: (event: PublishedEvent) => void) {
    this.followed = groups.map((group) => ({ group, seq: undefined, last: false }));
    this.socket = connect({ port, host: '127.0.0.1', onread: { buffer: READ_BUFFER, callback: (length) => this.read(length) } });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => this.over());
  }

  /** Resolves when it has the sync of each group. */
  async join(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.socket.write(HANDSHAKE);
    });
  }

  /** Has every event up to the last of each group. */
  get complete(): boolean {
    return this.followed.every(({ last }) => last);
  }

  stall(): void {
    this.socket.pause();
  }

  /** Reads on: what came before it was cut off, and that it was. */
  wake(): void {
    this.socket.resume();
  }

  /** False would stop the reading. */
  private read(length: number): boolean {
    const bytes = READ_BUFFER.subarray(0, length);
    if (this.upgraded) this.frames.take(bytes, (frame) => this.take(frame));
    else this.greet(bytes);
    return true;
  }

  private greet(bytes: Buffer): void {
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0 || !bytes.subarray(0, 12).equals(Buffer.from('HTTP/1.1 101'))) {
      this.waiting?.reject(new Error(`not let in: ${bytes.subarray(0, 200).toString('latin1')}`));
      return;
    }
    this.upgraded = true;
    for (const { group } of this.followed) {
      this.socket.write(clientFrame(TEXT, JSON.stringify({ type: 'join', data: { subscriptionId: group, streamName: STREAM, groupId: group } })));
    }
    this.frames.take(bytes.subarray(end + 4), (frame) => this.take(frame));
  }

  private take({ opcode, payload }: Frame): void {
    if (opcode === TEXT) this.message(payload);
    else if (opcode === PING) this.socket.write(clientFrame(PONG, payload));
    else if (opcode === CLOSE) this.ended = payload.readUInt16BE(0);
    else this.fault(`a frame with opcode ${opcode}`);
  }

  private message(payload: Buffer): void {
    for (const followed of this.followed) {
      const event = this.expected.next(followed.group, followed.seq, payload);
      if (event) return this.accept(followed, event);
    }
    const event = this.expected.read(payload);
    const followed = this.followed.find(({ group }) => group === event.group);
    if (!followed) this.fault(`nothing that it follows: ${payload.subarray(0, 200).toString()}`);
    else if (event.type === 'sync' && followed.seq === undefined) this.begin(followed, event.seq);
    else if (event.seq !== (followed.seq ?? NaN) + 1) this.fault(`${followed.group}: ${event.seq} after ${followed.seq}`);
    else if (event.differs) this.fault(`${followed.group}: ${event.seq} is not what others got`);
    else this.accept(followed, event);
  }

  private begin(followed: Followed, seq: number): void {
    followed.seq = seq;
    if (this.followed.every((one) => one.seq !== undefined)) this.waiting?.resolve();
  }

  private accept(followed: Followed, event: PublishedEvent): void {
    followed.seq = event.seq;
    followed.last = event.last;
    this.events += 1;
    this.onEvent(event);
  }

  private fault(what: string): void {
    if (this.faults.length < MOST_FAULTS) this.faults.push(what);
  }

  private over(): void {
    this.ended ??= 'cut';
    this.waiting?.reject(new Error('cut off before it had joined'));
  }
}

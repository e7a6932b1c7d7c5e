import { Socket } from 'node:net';

/**
 * Ways to keep a connection: say nothing, send headers, or a body, a little at a time, or not read a streamed answer, or a file
 * that is asked for in hundreds of ranges.
 */
export const SLOW_KINDS = ['silent', 'headers', 'body', 'stream', 'ranges'] as const;
export type SlowKind = (typeof SLOW_KINDS)[number];

/** Bytes of what is asked for and not read; more than the buffers of the system take. */
export const UNREAD_BYTES = 32 * 1024 * 1024;
/** What the buffers of the system hold at most, by far; who gets more is still being sent to. */
const BUFFERED_BYTES = 16 * 1024 * 1024;

export interface SlowOptions {
  readonly port: number;
  readonly kind: SlowKind;
  /** Pause between two pieces. */
  readonly pieceMs: number;
  /** When one that does not read looks whether the server has let go of it. */
  readonly lookMs: number;
}

const RANGES = Array.from({ length: 300 }, (_, n) => `5-${n}`).join(',');
const FIRST: Readonly<Record<SlowKind, string>> = {
  silent: '',
  headers: 'GET /work HTTP/1.1\r\nHost: 127.0.0.1\r\n',
  body: 'POST /take HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 4096\r\n\r\n"',
  stream: 'GET /stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
  ranges: `GET /files/large.bin HTTP/1.1\r\nHost: 127.0.0.1\r\nRange: bytes=0-,${RANGES}\r\n\r\n`,
};
const PIECES: Readonly<Partial<Record<SlowKind, string>>> = { headers: 'X-Slow: 1\r\n', body: 'x' };

/** One connection that keeps the server waiting until the server has enough of it. */
export class SlowConnection {
  private readonly socket = new Socket();
  private readonly began = performance.now();
  private readonly timers: NodeJS.Timeout[] = [];
  private received = 0;
  private connected = false;

  /** `over` is told after how many milliseconds the server had closed it; NaN: it could not be opened, Infinity: it had kept on. */
  constructor(options: SlowOptions, private readonly over: (freedMs: number) => void) {
    const { kind, port, pieceMs, lookMs } = options;
    const piece = PIECES[kind];
    const unread = kind === 'stream' || kind === 'ranges';
    this.socket.on('error', () => undefined).once('close', () => this.closed(unread));
    this.socket.on('data', (bytes) => {
      this.received += bytes.length;
      if (this.received > BUFFERED_BYTES) this.socket.destroy();
    });
    if (unread) this.socket.pause();
    this.socket.connect({ port, host: '127.0.0.1' }, () => {
      this.connected = true;
      this.socket.write(FIRST[kind]);
      if (piece !== undefined) this.timers.push(setInterval(() => this.socket.write(piece), pieceMs));
      if (unread) this.timers.push(setTimeout(() => this.socket.resume(), lookMs));
    });
  }

  /** Ends it without telling `over`. */
  stop(): void {
    this.socket.removeAllListeners('close');
    this.clear();
    this.socket.destroy();
  }

  private closed(unread: boolean): void {
    this.clear();
    if (!this.connected) this.over(NaN);
    else if (unread && this.received > BUFFERED_BYTES) this.over(Infinity);
    else this.over(performance.now() - this.began);
  }

  private clear(): void {
    for (const timer of this.timers) clearTimeout(timer);
  }
}

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Clock, Timer } from '@treadle/api';

/** What was said of a body before it came. */
export interface AnnouncedLength {
  readonly bytes: number;
  /** The path of the file that it is. */
  readonly of: string;
}

export interface ResponseStreamOptions {
  readonly clock: Clock;
  /** Longest pause between two pieces, in milliseconds. */
  readonly idleMs: number;
  /** A body that ends before is cut off: the client waits for the rest, or takes the part for the whole. */
  readonly announced?: AnnouncedLength | undefined;
  /** The source failed or was too slow: the response is cut off. */
  readonly failed: (error: Error) => void;
  /** Called once, when nothing more will be sent. */
  readonly done: () => void;
}

/** A response body that comes in pieces: as fast as the client reads, given up after a long pause. */
export class ResponseStream {
  /** What is broken when the body ends too early. */
  private outlet: ServerResponse | Readable | undefined;
  private timer: Timer | undefined;
  private lastPiece: number;
  private sent = 0;
  private over = false;

  constructor(readonly source: Readable, private readonly options: ResponseStreamOptions) {
    this.lastPiece = options.clock.monotonic();
    source.on('error', (error: Error) => this.fail(error));
    source.on('close', () => {
      if (!source.readableEnded) this.fail(new Error('the stream was closed before its end'));
    });
    source.on('end', () => this.sourceEnded());
    this.watch();
  }

  /** Begins to send; the headers are out. */
  pipeTo(response: ServerResponse): void {
    this.outlet = response;
    this.source.on('data', (piece: Buffer | string) => {
      this.count(piece);
      if (!response.write(piece)) this.source.pause();
    });
    response.on('drain', () => {
      this.lastPiece = this.options.clock.monotonic();
      this.source.resume();
    });
  }

  /** The pieces as a readable, for a server that sends them itself. */
  asReadable(): Readable {
    const through = new Readable({
      read: () => this.source.resume(),
      destroy: (error, done) => {
        this.abort();
        done(error);
      },
    });
    this.source.on('data', (piece: Buffer | string) => {
      this.count(piece);
      if (!through.push(piece)) this.source.pause();
    });
    this.outlet = through;
    return through;
  }

  /** Ends the response properly and lets go of the source. Idempotent. */
  end(): void {
    if (!this.close()) return;
    if (this.outlet instanceof Readable) this.outlet.push(null);
    else this.outlet?.end();
    this.source.destroy();
  }

  /** The client is gone. Idempotent. */
  abort(): void {
    if (!this.close()) return;
    this.source.destroy();
  }

  private count(piece: Buffer | string): void {
    this.lastPiece = this.options.clock.monotonic();
    if (this.options.announced !== undefined) this.sent += Buffer.byteLength(piece);
  }

  private sourceEnded(): void {
    const { announced } = this.options;
    if (announced === undefined || this.sent === announced.bytes) this.end();
    else this.fail(new Error(`it ended after ${this.sent} of ${announced.bytes} bytes: it became shorter while it was sent`));
  }

  /** A cut-off response must not look complete: the connection is broken instead of ended. */
  private fail(error: Error): void {
    if (!this.close()) return;
    this.options.failed(error);
    this.source.destroy();
    this.outlet?.destroy();
  }

  private watch(): void {
    const { clock, idleMs } = this.options;
    const quiet = clock.monotonic() - this.lastPiece;
    if (quiet >= idleMs) this.fail(new Error(`nothing was sent for ${idleMs} ms`));
    else this.timer = clock.after(idleMs - quiet, () => this.watch());
  }

  private close(): boolean {
    if (this.over) return false;
    this.over = true;
    this.timer?.cancel();
    this.options.done();
    return true;
  }
}

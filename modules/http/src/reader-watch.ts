import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock, Timer } from '@treadle/api';

/** How often the socket is looked at within the time that a client may read nothing. */
const LOOKS = 4;

interface SocketHandle {
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}

export interface ReaderWatchOptions {
  /** Longest time in which nothing is read; milliseconds. */
  readonly idleMs: number;
  /** The connection is broken. */
  readonly cut: () => void;
}

/**
 * Breaks the connection of a client that has read nothing of a whole answer for so long: the answer lies in memory until it is
 * read. Looks at what the system has taken of it, since one write may be many megabytes.
 */
export class ReaderWatch {
  private timer: Timer | undefined;
  private seen = -1;
  private quiet = 0;

  constructor(private readonly response: ServerResponse, private readonly clock: Clock, private readonly options: ReaderWatchOptions) {
    response.once('close', () => this.timer?.cancel());
    this.look();
  }

  private cut(): void {
    this.options.cut();
    this.response.destroy();
  }

  private look(): void {
    const left = leftOf(this.response.socket);
    // Without a socket it is not its turn: an earlier answer of the connection is under way.
    this.quiet = left === this.seen && left > 0 ? this.quiet + 1 : 0;
    this.seen = left;
    if (this.quiet < LOOKS) this.timer = this.clock.after(Math.ceil(this.options.idleMs / LOOKS), () => this.look());
    else this.cut();
  }
}

/**
 * Bytes that the system has not taken yet, those of a write that is under way included.
 * @source Node.js, `lib/net.js`: its own timeout of a socket looks at the same size
 */
function leftOf(socket: Socket | null): number {
  if (socket === null) return 0;
  const underWay = (socket as Socket & SocketHandle)._handle?.writeQueueSize ?? 0;
  return underWay + socket.writableLength;
}

import type { ServerResponse } from 'node:http';
import { type Clock, type Timer, unsentBytes } from '@treadle/api';

/** How often the socket is looked at within the time that a client may read nothing. */
const LOOKS = 4;

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
    this.look();
  }

  /** The answer is read, or its client is gone. */
  stop(): void {
    this.timer?.cancel();
  }

  private cut(): void {
    this.options.cut();
    this.response.destroy();
  }

  private look(): void {
    const left = unsentBytes(this.response.socket);
    // Without a socket it is not its turn: an earlier answer of the connection is under way.
    this.quiet = left === this.seen && left > 0 ? this.quiet + 1 : 0;
    this.seen = left;
    if (this.quiet < LOOKS) this.timer = this.clock.after(Math.ceil(this.options.idleMs / LOOKS), () => this.look());
    else this.cut();
  }
}

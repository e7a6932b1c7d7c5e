import type { ServerResponse } from 'node:http';
import { Refusal } from '../server/refusal.js';

/** What the buffers of the system take in any case; in characters. */
const SMALL = 64 * 1024;
/** What answers may take in memory that are not read yet; in characters. */
const MOST = 64 * 1024 * 1024;
/** Answers that are put together at the same time: each may read much. */
const AT_ONCE = 4;

/** Bounds what answers take in memory, while they are made and until they are read. */
export class AnswerRoom {
  private held = 0;
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /** Makes an answer when it is its turn. */
  async make(work: () => Promise<void>): Promise<void> {
    if (this.running >= AT_ONCE) await new Promise<void>((resolve) => void this.waiting.push(resolve));
    else this.running += 1;
    try {
      await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }

  /** Counts an answer until it is sent or its client is gone. One alone may have any length. @throws Refusal `overloaded` */
  hold(response: ServerResponse, length: number): void {
    if (length <= SMALL || response.closed) return;
    if (this.held > 0 && this.held + length > MOST) {
      throw new Refusal(503, 'overloaded', 'other clients have not read their large answers yet; ask again, or for fewer at a time with "limit"');
    }
    this.held += length;
    response.once('close', () => { this.held -= length; });
  }
}

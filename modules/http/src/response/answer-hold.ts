import type { ServerResponse } from 'node:http';
import type { BodyBudget } from '../body/body-memory.js';
import type { Connection, Held } from '../server/connection.js';
import type { ReaderWatch } from './reader-watch.js';

/** What one answer holds while it is in memory, until it is sent or its client is gone: bytes, and the watch over its reader. */
export class AnswerHold implements Held {
  private bytes = 0;
  private over: boolean;
  private watch: ReaderWatch | undefined;

  constructor(response: ServerResponse, private readonly budget: BodyBudget, private readonly connection: Connection | undefined) {
    this.over = response.closed;
    response.once('close', () => this.release());
    connection?.hold(this);
  }

  /** Counts so many in all. False: there is no room for them. */
  admits(bytes: number): boolean {
    const more = bytes - this.bytes;
    if (more <= 0) return true;
    if (this.over || !this.budget.take(more)) return false;
    this.bytes = bytes;
    return true;
  }

  /** Stops this watch with the rest. */
  watchedBy(watch: ReaderWatch): void {
    this.watch = watch;
  }

  /** Gives everything back. Idempotent: the answer and the connection both tell of their end. */
  release(): void {
    if (this.over) return;
    this.over = true;
    this.budget.give(this.bytes);
    this.watch?.stop();
    this.connection?.letGo(this);
  }
}

import type { ServerResponse } from 'node:http';
import type { BodyBudget } from '../body/body-memory.js';

/** Counts the bytes of one answer while they are in memory: until the response is sent or its client is gone. */
export class AnswerHold {
  private bytes = 0;

  constructor(private readonly response: ServerResponse, private readonly budget: BodyBudget) {
    response.once('close', () => budget.give(this.bytes));
  }

  /** Counts so many in all. False: there is no room for them. */
  admits(bytes: number): boolean {
    const more = bytes - this.bytes;
    if (more <= 0) return true;
    if (this.response.closed || !this.budget.take(more)) return false;
    this.bytes = bytes;
    return true;
  }
}

import { randomBytes } from 'node:crypto';
import { padded } from './state-rows.js';

/**
 * Ids of changes: they sort in the order in which they were made, also across restarts, and none is used twice, even
 * when the machine's clock was set back while the engine was stopped.
 */
export class ChangeIds {
  private last = 0;

  /** Goes on behind an id of a former run. */
  follow(id: string | undefined): void {
    if (id !== undefined) this.last = Math.max(this.last, Number(id.split('-')[0]));
  }

  next(now: number): string {
    this.last = Math.max(this.last + 1, now * 1000);
    return `${padded(this.last)}-${randomBytes(4).toString('hex')}`;
  }
}

import { randomBytes } from 'node:crypto';
import type { StoreIdentity } from './schema.js';

/**
 * Ids that are unique for all time: file, start of the engine, number in it. A copy of the file that is put back counts its starts
 * again, and a queue in another file remembers the ids of the first time: hence something random as well.
 */
export class ChangeIds {
  private readonly prefix: string;
  private made = 0;

  /** `area`: an upper-case letter, which no start has, or nothing; ids of different areas differ. */
  constructor({ id, starts }: StoreIdentity, area = '') {
    this.prefix = `${id}-${area}${starts.toString(36)}.${randomBytes(6).toString('hex')}-`;
  }

  next(): string {
    this.made += 1;
    return this.prefix + this.made.toString(36);
  }
}

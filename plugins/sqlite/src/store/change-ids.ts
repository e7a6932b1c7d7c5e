import type { StoreIdentity } from './schema.js';

/** Ids that are unique for all time: file, start of the engine, number in it. */
export class ChangeIds {
  private made = 0;

  /** `area`: an upper-case letter, which no start has, or nothing; ids of different areas differ. */
  constructor(private readonly identity: StoreIdentity, private readonly area = '') {}

  next(): string {
    const { id, starts } = this.identity;
    this.made += 1;
    return `${id}-${this.area}${starts.toString(36)}-${this.made.toString(36)}`;
  }
}

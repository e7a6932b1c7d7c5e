import type { KeptEntry } from './kept-entry.js';

/** Characters of all values together. */
const MOST_CHARACTERS = 8_000_000;
const MOST_CHARACTERS_OF_ONE = 64_000;
const MOST_ENTRIES = 5_000;

/** The entries that this engine wrote last: a write that follows needs not read them, because it is stored only if they are still the last. */
export class KeptEntries {
  private readonly entries = new Map<string, KeptEntry>();
  private characters = 0;

  /** Gives an entry away: it is known no more. */
  take(subject: string): KeptEntry | undefined {
    const found = this.entries.get(subject);
    if (found) this.drop(subject, found);
    return found;
  }

  keep(subject: string, entry: KeptEntry): void {
    this.take(subject);
    if (weightOf(entry) > MOST_CHARACTERS_OF_ONE) return;
    this.entries.set(subject, entry);
    this.characters += weightOf(entry);
    for (const [oldest, old] of this.entries) {
      if (this.characters <= MOST_CHARACTERS && this.entries.size <= MOST_ENTRIES) break;
      this.drop(oldest, old);
    }
  }

  private drop(subject: string, entry: KeptEntry): void {
    this.entries.delete(subject);
    this.characters -= weightOf(entry);
  }
}

function weightOf({ text }: KeptEntry): number {
  return text?.length ?? 0;
}

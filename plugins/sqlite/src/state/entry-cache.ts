/** An entry as it is stored; without `text` the key is missing (deleted, expired and swept, or never written). */
export interface CachedEntry {
  /** JSON. */
  readonly text: string | null;
  /** Of the last write; what the next one counts from. */
  readonly revision: number;
  /** When the value expires; milliseconds since the epoch. */
  readonly dueAt: number | null;
}

/** What an entry costs beside its text, in bytes; measured roughly. */
const OVERHEAD = 160;

/**
 * Committed entries in memory, at most `maxBytes` of them. Two generations stand in for a list by last use: an entry that
 * is used moves to the young one; when that is full it becomes the old one, and what is left of the former old one goes.
 */
export class EntryCache {
  private young = new Map<string, CachedEntry>();
  private old = new Map<string, CachedEntry>();
  private youngBytes = 0;

  constructor(private readonly maxBytes: number) {}

  get(key: string): CachedEntry | undefined {
    const found = this.young.get(key);
    if (found) return found;
    const former = this.old.get(key);
    if (!former) return undefined;
    this.old.delete(key);
    this.set(key, former);
    return former;
  }

  set(key: string, entry: CachedEntry): void {
    const bytes = sizeOf(key, entry);
    const before = this.young.get(key);
    if (before) this.youngBytes -= sizeOf(key, before);
    this.old.delete(key);
    this.young.set(key, entry);
    this.youngBytes += bytes;
    if (this.youngBytes > this.maxBytes / 2) this.turn();
  }

  delete(key: string): void {
    const before = this.young.get(key);
    if (before) {
      this.young.delete(key);
      this.youngBytes -= sizeOf(key, before);
    }
    this.old.delete(key);
  }

  /** Entries in memory. */
  get size(): number {
    return this.young.size + this.old.size;
  }

  private turn(): void {
    this.old = this.young;
    this.young = new Map();
    this.youngBytes = 0;
  }
}

function sizeOf(key: string, { text }: CachedEntry): number {
  return OVERHEAD + 2 * (key.length + (text?.length ?? 0));
}

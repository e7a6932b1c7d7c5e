import type { Json, StateEntry, StateItem } from '@treadle/api';
import { byBytes } from './state-under-test.js';

interface Known {
  readonly value: Json;
  readonly revision: number;
  readonly expiresAt: number;
}

/** What a store of state is, in as few words as possible: the adapters are compared with it. */
export class ReferenceModel {
  now = 0;
  private readonly known = new Map<string, Map<string, Known>>();
  private readonly revisions = new Map<string, number>();

  get(group: string, key: string): StateEntry | undefined {
    const entry = this.known.get(group)?.get(key);
    return entry && entry.expiresAt > this.now ? { value: entry.value, revision: entry.revision } : undefined;
  }

  /** The adapter's revision is taken over once it has been found to be allowed. */
  set(group: string, key: string, entry: Known): void {
    const keys = this.known.get(group) ?? new Map<string, Known>();
    this.known.set(group, keys.set(key, entry));
    this.revisions.set(JSON.stringify([group, key]), entry.revision);
  }

  delete(group: string, key: string): void {
    this.known.get(group)?.delete(key);
  }

  /** Whether a write may give this revision: the next one for a live key, else one that was never given before. */
  allows(group: string, key: string, revision: number): boolean {
    const live = this.get(group, key);
    if (live) return revision === live.revision + 1;
    return revision > (this.revisions.get(JSON.stringify([group, key])) ?? 0);
  }

  expiry(group: string, key: string): number {
    return this.get(group, key) ? this.known.get(group)?.get(key)?.expiresAt ?? Infinity : Infinity;
  }

  list(group: string, prefix = ''): StateItem[] {
    const keys = [...this.known.get(group)?.keys() ?? []].filter((key) => key.startsWith(prefix)).sort(byBytes);
    return keys.flatMap((key) => {
      const entry = this.get(group, key);
      return entry ? [{ key, ...entry }] : [];
    });
  }

  groups(): string[] {
    return [...this.known.keys()].filter((group) => this.list(group).length > 0).sort(byBytes);
  }

  /** Everything is lost, also what revisions there were. */
  forget(): void {
    this.known.clear();
    this.revisions.clear();
  }
}

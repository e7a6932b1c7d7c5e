/** Twice what a session may hold at once, so that ids rarely meet; a power of two. */
const SLOTS = 2048;

/**
 * Running calls by id. Ids are given out in order, so the low bits of an id are its slot; one that finds it taken by a
 * call that has been running for long goes into a map. A map alone would do, but for the collector: when a Map of V8
 * grows or is compacted, the table that it leaves behind points to its successor, and a chain of such tables, once in
 * the old generation, keeps thousands of finished calls alive with all that hangs on them.
 */
export class CallTable<T extends { readonly id: number }> {
  private readonly slots: (T | undefined)[] = new Array<T | undefined>(SLOTS).fill(undefined);
  private readonly overflow = new Map<number, T>();
  size = 0;

  get(id: number): T | undefined {
    const call = this.slots[id & (SLOTS - 1)];
    return call?.id === id ? call : this.overflow.get(id);
  }

  add(call: T): void {
    const slot = call.id & (SLOTS - 1);
    if (this.slots[slot] === undefined) this.slots[slot] = call;
    else this.overflow.set(call.id, call);
    this.size++;
  }

  /** False when it was not there. */
  delete(call: T): boolean {
    const slot = call.id & (SLOTS - 1);
    if (this.slots[slot] === call) this.slots[slot] = undefined;
    else if (!this.overflow.delete(call.id)) return false;
    this.size--;
    return true;
  }

  /** A copy, so that the table may change meanwhile. */
  all(): readonly T[] {
    return [...this.slots.filter((call) => call !== undefined), ...this.overflow.values()];
  }
}

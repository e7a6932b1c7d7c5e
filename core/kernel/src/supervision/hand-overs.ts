/** What stopped modules have left for those that a reload starts in their place, by the ids of the entries. */
export class HandOvers {
  private readonly left = new Map<string, unknown>();

  /** Undefined leaves what is there. */
  leave(id: string, value: unknown): void {
    if (value !== undefined) this.left.set(id, value);
  }

  of(id: string): unknown {
    return this.left.get(id);
  }

  /** A reload is over: nobody else will ask. */
  clear(): void {
    this.left.clear();
  }
}

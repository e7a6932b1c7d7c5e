/** Bytes of bodies in memory, of all requests together. */
export class BodyBudget {
  private held = 0;

  constructor(public maxBytes: number) {}

  /** False when there is no room for these bytes. */
  take(bytes: number): boolean {
    if (this.held + bytes > this.maxBytes) return false;
    this.held += bytes;
    return true;
  }

  give(bytes: number): void {
    this.held -= bytes;
  }
}

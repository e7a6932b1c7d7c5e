/** How long messages took, counted by the millisecond, so that millions of them take no memory. */
export class Latencies {
  /** Index: milliseconds. The last one counts all that took longer. */
  constructor(readonly counts: number[] = new Array<number>(60_001).fill(0)) {}

  add(ms: number): void {
    const at = Math.min(this.counts.length - 1, Math.max(0, Math.round(ms)));
    this.counts[at] = (this.counts[at] as number) + 1;
  }

  merge(counts: readonly number[]): void {
    counts.forEach((count, at) => { this.counts[at] = (this.counts[at] as number) + count; });
  }

  get total(): number {
    return this.counts.reduce((sum, count) => sum + count, 0);
  }

  /** Milliseconds that this part of all took at most; 0 to 1. */
  at(part: number): number {
    let left = Math.ceil(this.total * part);
    const found = this.counts.findIndex((count) => (left -= count) <= 0);
    return found;
  }
}

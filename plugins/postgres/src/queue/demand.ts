/** Milliseconds. */
const WINDOW_MS = 25;

/** How many deliveries a consumer has taken within the last moments. */
export class Demand {
  private from = -Infinity;
  private count = 0;
  private before = 0;

  /** @param now monotonic, milliseconds */
  add(count: number, now: number): void {
    this.pass(now);
    this.count += count;
  }

  /** Within `WINDOW_MS`, as if those of the former window had come evenly. */
  recent(now: number): number {
    this.pass(now);
    return this.count + Math.floor(this.before * (1 - (now - this.from) / WINDOW_MS));
  }

  private pass(now: number): void {
    const passed = Math.floor((now - this.from) / WINDOW_MS);
    if (passed < 1) return;
    this.before = passed === 1 ? this.count : 0;
    this.count = 0;
    this.from = passed === 1 ? this.from + WINDOW_MS : now;
  }
}

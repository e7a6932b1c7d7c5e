import type { Clock, Timer } from '../clock.js';
import type { StoreClock } from './store-clock.js';

/** Timers reach no further; milliseconds. */
const FARTHEST_MS = 60 * 60 * 1000;

/** Knows of each subscription when its next delivery is due, by the store's time, and says so when it is. */
export class DueClock {
  private readonly next = new Map<number, number>();
  private timer: Timer | undefined;
  private armedFor = Infinity;

  constructor(private readonly clock: Clock, private readonly time: StoreClock, private readonly due: (subs: readonly number[]) => void) {}

  /** @param at the store's time, milliseconds */
  note(sub: number, at: number): void {
    if (at >= (this.next.get(sub) ?? Infinity)) return;
    this.next.set(sub, at);
    if (at < this.armedFor) this.arm();
  }

  close(): void {
    this.next.clear();
    this.timer?.cancel();
  }

  private arm(): void {
    this.timer?.cancel();
    this.armedFor = Math.min(Infinity, ...this.next.values());
    if (this.armedFor === Infinity) return;
    this.timer = this.clock.after(Math.min(FARTHEST_MS, Math.max(1, this.armedFor - this.time.now())), () => this.fire());
  }

  private fire(): void {
    const now = this.time.now();
    const due = [...this.next].filter(([, at]) => at <= now).map(([sub]) => sub);
    for (const sub of due) this.next.delete(sub);
    this.arm();
    if (due.length > 0) this.due(due);
  }
}

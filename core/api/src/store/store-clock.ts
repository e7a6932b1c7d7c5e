import type { Clock } from '../clock.js';

/** A measurement that is off by less changes nothing; milliseconds. */
const STEADY_MS = 10;
/** How long the time stands still rather than goes back. */
const HOLD_MS = 5_000;

/**
 * The store's time, estimated by the engine's clock and how far the two are apart. Moments of callers are the engine's,
 * moments in tables the store's. A change is believed when it has been measured twice.
 */
export class StoreClock {
  private offset = 0;
  private measured = false;
  /** Which way the last measurement was off. */
  private doubted: number | undefined;
  private last = 0;

  constructor(private readonly clock: Clock) {}

  /** The store's time; does not go back, but for a store whose time was put back. */
  now(): number {
    const now = Math.floor(this.clock.now() + this.offset);
    if (now > this.last || this.last - now > HOLD_MS) this.last = now;
    return this.last;
  }

  /** A moment of the engine's clock as the store's. */
  toStore(moment: number): number {
    return Math.round(moment + this.offset);
  }

  /** A moment of the store's time as the engine's clock has it. */
  fromStore(moment: number): number {
    return moment - this.offset;
  }

  /** Asks the store for its time. */
  async measure(ask: () => Promise<number>): Promise<void> {
    const began = this.clock.now();
    const store = await ask();
    this.note(began, store);
  }

  /** The store's time was `store` at some moment between `began` and `ended`, moments of the engine's clock. */
  note(began: number, store: number, ended = this.clock.now()): void {
    const margin = (ended - began) / 2;
    const offset = Math.round(store - began - margin);
    const change = Math.abs(offset - this.offset);
    if (this.measured && change <= STEADY_MS + margin) {
      this.doubted = undefined;
      return;
    }
    const way = Math.sign(offset - this.offset);
    if (this.measured && this.doubted !== way) {
      this.doubted = way;
      return;
    }
    this.measured = true;
    this.doubted = undefined;
    this.offset = offset;
  }
}

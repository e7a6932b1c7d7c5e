import type { Clock, Timer } from '@treadle/api';

/** What a steady clock is made from. */
export interface TimeSource {
  /** The wall clock; milliseconds since the epoch. */
  wall(): number;
  /** Milliseconds from an arbitrary origin; stands still while the machine sleeps. */
  monotonic(): number;
  /** Milliseconds since the machine was started, its sleep included. */
  uptime(): number;
}

/** A difference between two looks that is no correction of the wall clock, but a jump; milliseconds. */
const JUMP_MS = 1_000;
/** After a jump the time comes back to that of the wall clock by one part in so many. */
const HEALING = 100;

/**
 * The time of an engine: that of the wall clock, but where that jumps it goes on with what has really passed, so that delays, time
 * limits and retention keep their length. It never goes back. What a jump has put between the two shrinks by a hundredth of the
 * time that passes; the sleep of a machine is no jump.
 */
export class SteadyClock implements Clock {
  /** Told of each jump of the wall clock; milliseconds, negative when it was put back. */
  onJump: ((ms: number) => void) | undefined;
  /** How far this clock is ahead of the wall clock; milliseconds. */
  private ahead = 0;
  private last = 0;
  private lastWall: number;
  private lastMonotonic: number;
  /** Time that the machine has slept. */
  private slept: number;

  constructor(private readonly source: TimeSource, private readonly timers: Pick<Clock, 'after' | 'every'>) {
    this.lastWall = source.wall();
    this.lastMonotonic = source.monotonic();
    this.slept = source.uptime() - this.lastMonotonic;
  }

  now(): number {
    this.look();
    this.last = Math.max(this.last, Math.round(this.lastWall + this.ahead));
    return this.last;
  }

  wall(): number {
    return this.source.wall();
  }

  monotonic(): number {
    return this.source.monotonic();
  }

  after(ms: number, task: () => void): Timer {
    return this.timers.after(ms, task);
  }

  every(ms: number, task: () => void): Timer {
    return this.timers.every(ms, task);
  }

  /** A former run has seen this time: it is not before it. */
  notBefore(time: number): void {
    const behind = time - this.now();
    if (behind > 0) this.ahead += behind;
  }

  private look(): void {
    const [wall, monotonic] = [this.source.wall(), this.source.monotonic()];
    const passed = monotonic - this.lastMonotonic;
    let jump = wall - this.lastWall - passed;
    this.lastWall = wall;
    this.lastMonotonic = monotonic;
    if (Math.abs(jump) > JUMP_MS) {
      const slept = this.source.uptime() - monotonic;
      if (slept - this.slept > JUMP_MS) jump -= slept - this.slept;
      this.slept = slept;
      if (Math.abs(jump) > JUMP_MS) this.jumped(jump);
    }
    if (this.ahead !== 0) this.heal(passed / HEALING);
  }

  private jumped(ms: number): void {
    this.ahead -= ms;
    this.onJump?.(Math.round(ms));
  }

  private heal(most: number): void {
    this.ahead = Math.abs(this.ahead) <= most ? 0 : this.ahead - Math.sign(this.ahead) * most;
  }
}

import { performance, type EventLoopUtilization } from 'node:perf_hooks';
import type { Clock, Timer } from '@treadle/api';

/** Part of the engine's time that work in turns may take, while the engine has much else to do and while it has not. */
const BUSY_SHARE = 0.01;
const IDLE_SHARE = 0.1;
/** An engine that computes for more than this part of the time is busy; what it waits for, such as Step processes, may want the processor, too. */
const BUSY = 0.2;

/**
 * Keeps work that can wait to a small share of the engine's time: one piece after the other, and after each nothing for many times as long as it took.
 * What a piece does before it first waits for others, such as a database, is taken for all it does. Where the machine lets the engine wait for the
 * processor, a piece takes longer and so does the rest: the share stays that of what the engine gets.
 */
export class Pace {
  private readonly waiting: (() => unknown)[] = [];
  private timer: Timer | undefined;
  private freeAt = -Infinity;

  /** `isBusy`: whether the engine has had much to do since it was asked last. */
  constructor(private readonly clock: Clock, private readonly isBusy: () => boolean = loopIsBusy()) {}

  /** Begins the work when its turn has come; the turns are in the order of the calls. It must not fail. */
  inTurn(work: () => unknown): void {
    this.waiting.push(work);
    this.next();
  }

  /** Begins it at once, for somebody who waits; what is in turn waits all the longer. It must not fail. */
  async now(work: () => unknown): Promise<void> {
    const began = this.clock.monotonic();
    await Promise.race([work(), nextRound()]);
    const ended = this.clock.monotonic();
    this.freeAt = Math.max(this.freeAt, ended + (ended - began) / (this.isBusy() ? BUSY_SHARE : IDLE_SHARE));
  }

  private next(): void {
    if (this.timer || this.waiting.length === 0) return;
    this.timer = this.clock.after(Math.max(0, this.freeAt - this.clock.monotonic()), () => {
      void this.now(() => this.waiting.shift()?.()).then(() => {
        this.timer = undefined;
        this.next();
      });
    });
  }
}

/** When everything that could go on at once has done so. */
function nextRound(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

function loopIsBusy(): () => boolean {
  let former: EventLoopUtilization = performance.eventLoopUtilization();
  return () => {
    const current = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(current, former);
    former = current;
    return utilization > BUSY;
  };
}

import type { Clock, Timer } from '@treadle/api';
import type { EngineLoad } from './engine-load.js';

/** Part of the engine's time that work in turns may take, while the engine has much else to do and while it has not. */
const BUSY_SHARE = 0.01;
const IDLE_SHARE = 0.1;
/** Where the machine has little time for the engine a piece of 1 ms takes 100, and pages would be told nothing for minutes. */
const LONGEST_REST_MS = 3_000;

export interface PaceOptions {
  readonly clock: Clock;
  /** Told what the work takes. */
  readonly load: Pick<EngineLoad, 'isBusy' | 'spent'>;
  /** Which part of those shares is for this work. Default 1. */
  readonly part?: number;
  /** Longest rest, whatever a piece took. Default 3,000. */
  readonly longestRestMs?: number;
}

/**
 * Keeps work that can wait to a small share of the engine's time: one piece after the other, and after each nothing for many times as long as it took.
 * What a piece does before it first waits for others, such as a database, is taken for all it does. Where the machine lets the engine wait for the
 * processor, a piece takes longer and so does the rest, up to the longest: the share stays that of what the engine gets.
 */
export class Pace {
  private readonly waiting: (() => unknown)[] = [];
  private timer: Timer | undefined;
  private freeAt = -Infinity;

  constructor(private readonly options: PaceOptions) {}

  /** Begins the work when its turn has come; the turns are in the order of the calls. It must not fail. */
  inTurn(work: () => unknown): void {
    this.waiting.push(work);
    this.next();
  }

  /** Begins it at once, for somebody who waits; what is in turn waits all the longer. It must not fail. */
  async now(work: () => unknown): Promise<void> {
    const { clock, load, part = 1, longestRestMs = LONGEST_REST_MS } = this.options;
    const began = clock.monotonic();
    await Promise.race([work(), nextRound()]);
    const ended = clock.monotonic();
    load.spent(ended - began);
    const restMs = (ended - began) / (part * (load.isBusy() ? BUSY_SHARE : IDLE_SHARE));
    this.freeAt = Math.max(this.freeAt, ended + Math.min(restMs, longestRestMs));
  }

  private next(): void {
    if (this.timer || this.waiting.length === 0) return;
    const { clock } = this.options;
    this.timer = clock.after(Math.max(0, this.freeAt - clock.monotonic()), () => {
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

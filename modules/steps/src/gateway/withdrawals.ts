import type { Clock, Timer } from '@treadle/api';
import { type EngineMessage, TurnBatch } from '@treadle/protocol';

/** How long a thread may take to answer that has nothing else to do; milliseconds. One that takes longer does not run at all. */
const ANSWER_MS = 2_000;

/** Somebody who waits for an answer. */
interface Asker {
  readonly told: (done: boolean) => void;
  readonly timer: Timer;
}

/**
 * Takes invocations back that a worker has not begun. Its heartbeat's thread is asked, which answers also while a handler
 * blocks the main one.
 */
export class Withdrawals {
  private readonly askers = new Map<number, Asker>();
  private line: TurnBatch<EngineMessage> | undefined;

  constructor(private readonly clock: Clock) {}

  /** A heartbeat connection came that answers; returns what is to be called when it goes. */
  connect(write: (frame: string) => void): () => void {
    const line = this.line = new TurnBatch<EngineMessage>({ write });
    return () => {
      if (this.line !== line) return;
      this.line = undefined;
      for (const id of [...this.askers.keys()]) this.settle(id, false);
    };
  }

  /** `told` is called once: also when there is nobody to ask, or no answer within 2 s; then nothing was withdrawn as far as anybody knows. */
  ask(id: number, told: (done: boolean) => void): void {
    if (!this.line) {
      told(false);
      return;
    }
    this.askers.set(id, { told, timer: this.clock.after(ANSWER_MS, () => this.settle(id, false)) });
    this.line.push({ type: 'withdraw', id });
  }

  /** The answer; one that nobody waits for any more is ignored. */
  settle(id: number, done: boolean): void {
    const asker = this.askers.get(id);
    if (!asker) return;
    this.askers.delete(id);
    asker.timer.cancel();
    asker.told(done);
  }
}

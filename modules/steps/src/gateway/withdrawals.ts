import type { Clock, Timer, Withdrawal } from '@treadle/api';
import { type EngineMessage, TurnBatch } from '@treadle/protocol';

/** How long a thread may take to answer that has nothing else to do, a new connection included; milliseconds. One that takes longer does not run at all. */
const ANSWER_MS = 2_000;

/** Those who wait for an answer. */
interface Asker {
  readonly told: readonly ((what: Withdrawal) => void)[];
  readonly timer: Timer;
}

/**
 * Takes invocations back that a worker has not begun. Its heartbeat's thread is asked, which answers also while a handler
 * blocks the main one.
 */
export class Withdrawals {
  private readonly askers = new Map<number, Asker>();
  /** Connections that answer; the newest one, which is last, is asked. */
  private lines: TurnBatch<EngineMessage>[] = [];

  /** `expected`: such a connection will come. */
  constructor(private readonly clock: Clock, private expected = false) {}

  /** A heartbeat connection came that answers; returns what is to be called when it goes. */
  connect(write: (frame: string | Uint8Array) => void): () => void {
    const line = new TurnBatch<EngineMessage>({ write });
    this.expected = true;
    this.lines.push(line);
    this.askAgain();
    return () => {
      const current = this.line;
      this.lines = this.lines.filter((other) => other !== line);
      if (line === current) this.askAgain();
    };
  }

  /**
   * `told` is called once. `begun` also means that there is nobody to ask, or that there was no answer within 2 s: a connection
   * that comes meanwhile is asked, too.
   */
  ask(id: number, told: (what: Withdrawal) => void): void {
    if (!this.expected) {
      told('begun');
      return;
    }
    const before = this.askers.get(id);
    before?.timer.cancel();
    this.askers.set(id, { told: [...before?.told ?? [], told], timer: this.clock.after(ANSWER_MS, () => this.settle(id, 'begun')) });
    this.send(id);
  }

  /** The answer; one that nobody waits for any more is ignored. */
  settle(id: number, what: Withdrawal): void {
    const asker = this.askers.get(id);
    if (!asker) return;
    this.askers.delete(id);
    asker.timer.cancel();
    for (const told of asker.told) told(what);
  }

  /** The session is over: nobody answers any more. */
  close(): void {
    this.expected = false;
    for (const id of [...this.askers.keys()]) this.settle(id, 'begun');
  }

  private get line(): TurnBatch<EngineMessage> | undefined {
    return this.lines.at(-1);
  }

  /** An answer may have been lost with a connection; it is the same when it is given twice. */
  private askAgain(): void {
    for (const id of this.askers.keys()) this.send(id);
  }

  private send(id: number): void {
    this.line?.push({ type: 'withdraw', id });
  }
}

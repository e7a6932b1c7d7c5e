import type { Clock, CronAdapter, CronRun, Logger } from '@treadle/api';
import type { Turns } from '../turns.js';

/** Pause between two tries to write the end of a run. */
const RETRY_MS = 1_000;

/** What was claimed longer ago may be another engine's by now, as after a time in which the machine did not run this process; milliseconds. */
const GOOD_MS = 2_500;

/** Whether a claim that was answered so many milliseconds after it was asked for is not to be relied on. */
export const isLate = ({ shared }: Pick<CronAdapter, 'shared'>, ms: number): boolean => shared !== undefined && ms > GOOD_MS;

/** Writes what became of runs, and does not give up while the store refuses. */
export class RunRecorder {
  private readonly underWay = new Set<Promise<void>>();
  private readonly closed = new AbortController();
  private failing = false;

  constructor(private readonly parts: { readonly adapter: CronAdapter; readonly clock: Clock; readonly log: Logger; readonly turns: Turns }) {}

  /** Resolves when it is written, or when the recorder is closed; never rejects. */
  async finish(runs: readonly CronRun[]): Promise<void> {
    await this.write(() => this.parts.adapter.finish(runs));
  }

  /** As the adapter's, but also undefined when the answer came so late that it was given back, or the recorder was closed before it went through. */
  async takeOver(run: CronRun, leaseMs: number): Promise<CronRun | undefined> {
    const { adapter, clock, turns } = this.parts;
    let taken: CronRun | undefined;
    let asked = false;
    await this.write(() => turns.run(async () => {
      // A try that failed may have lost its answer alone.
      if (asked) await adapter.finish([run]);
      asked = true;
      const began = clock.monotonic();
      const answer = await adapter.takeOver(run, leaseMs);
      if (answer && isLate(adapter, clock.monotonic() - began)) await adapter.finish([run]);
      else taken = answer;
    }));
    return taken;
  }

  /** Resolves when what is being written now is written; tries that fail are not repeated any more. */
  async settled(): Promise<void> {
    this.closed.abort();
    await Promise.all(this.underWay);
  }

  private async write(act: () => Promise<void>): Promise<void> {
    const writing = this.untilWritten(act);
    this.underWay.add(writing);
    await writing;
    this.underWay.delete(writing);
  }

  private async untilWritten(act: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        await act();
        this.failing = false;
        return;
      } catch (error) {
        if (!this.failing) this.parts.log.warn('cron runs could not be recorded; this is tried again', { reason: (error as Error).message });
        this.failing = true;
      }
      if (this.closed.signal.aborted) return;
      await this.pause();
    }
  }

  private pause(): Promise<void> {
    const { signal } = this.closed;
    return new Promise((resolve) => {
      const end = (): void => {
        timer.cancel();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = this.parts.clock.after(RETRY_MS, end);
      signal.addEventListener('abort', end);
    });
  }
}

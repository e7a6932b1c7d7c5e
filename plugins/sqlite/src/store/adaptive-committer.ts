import type { StorageFault } from '../driver/storage-fault.js';
import type { Committer } from './committer.js';
import type { GroupRequest, GroupResult } from './group-executor.js';

/** Commits whose median decides. */
const WINDOW = 64;

export interface AdaptiveOptions {
  readonly loop: Committer;
  /** Starts the writer thread; the loop's connection must not write afterwards. */
  readonly startThread: () => Promise<Committer>;
  /** Median time of a group on the loop from which the thread takes over, in milliseconds. */
  readonly limitMs: number;
  /** The thread has taken over. */
  readonly onSwitch: (medianMs: number) => void;
  /** The thread could not start; it is tried again after the next slow commits. */
  readonly onStay: (error: Error) => void;
}

/**
 * Commits on the event loop as long as the disk is quick, and hands over to a writer thread, for good, once half of the
 * last commits took longer than the limit: a slow disk must not hold up everything else in the process.
 */
export class AdaptiveCommitter implements Committer {
  onEnd: ((fault: StorageFault) => void) | undefined;
  private current: Committer;
  private readonly times: number[] = [];
  private starting: Promise<void> | undefined;

  constructor(private readonly options: AdaptiveOptions) {
    this.current = options.loop;
    options.loop.onEnd = (fault) => this.onEnd?.(fault);
  }

  get kind(): 'thread' | 'loop' {
    return this.current.kind;
  }

  commit(requests: readonly GroupRequest[], done: (result: GroupResult) => void): void {
    if (this.kind === 'thread') {
      this.current.commit(requests, done);
      return;
    }
    const began = performance.now();
    this.current.commit(requests, (result) => {
      this.note(performance.now() - began);
      done(result);
    });
  }

  tidy(): void {
    this.current.tidy();
  }

  look(): void {
    this.current.look();
  }

  async close(): Promise<void> {
    await this.starting;
    await this.current.close();
  }

  abandon(): void {
    this.current.abandon();
  }

  private note(ms: number): void {
    if (this.starting) return;
    if (this.times.push(ms) < WINDOW) return;
    const median = [...this.times].sort((a, b) => a - b)[WINDOW / 2] ?? 0;
    this.times.length = 0;
    if (median > this.options.limitMs) this.starting = this.handOver(median);
  }

  /** Groups go on being committed on the loop until the thread is there; one that cannot start leaves it at that. */
  private async handOver(median: number): Promise<void> {
    try {
      const thread = await this.options.startThread();
      thread.onEnd = (fault) => this.onEnd?.(fault);
      this.current = thread;
      this.options.onSwitch(median);
    } catch (error) {
      this.starting = undefined;
      this.options.onStay(error as Error);
    }
  }
}

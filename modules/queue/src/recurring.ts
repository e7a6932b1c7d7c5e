import type { Clock, Logger, Timer } from '@treadle/api';

/** Work that is done again and again, never twice at a time. A failure is a warning; the next round tries again. */
export abstract class Recurring {
  private timer: Timer | undefined;
  private round: Promise<void> | undefined;

  /** `everyMs`: milliseconds from one round to the next. `failure`: what the log says of one that failed. */
  constructor(private readonly everyMs: number, private readonly failure: string, protected readonly log: Logger) {}

  start(clock: Clock): void {
    this.timer = clock.every(this.everyMs, () => void (this.round ??= this.run()));
  }

  /** Waits for a round under way. */
  async stop(): Promise<void> {
    this.timer?.cancel();
    this.timer = undefined;
    await this.round;
  }

  protected abstract work(): Promise<void>;

  private async run(): Promise<void> {
    try {
      await this.work();
    } catch (error) {
      this.log.warn(this.failure, { error: String(error) });
    } finally {
      this.round = undefined;
    }
  }
}

/** Runs one task at a time; wishes that come while it runs are one more run. */
export class CoalescedTask {
  private wanted = false;
  private open = false;
  private running: Promise<void> | undefined;

  /** @param task must not reject */
  constructor(private readonly task: () => Promise<void>) {}

  /** Wants a run; before `start` and while one runs it is kept for later. */
  request(): void {
    this.wanted = true;
    this.pump();
  }

  /** From now on wishes are carried out. */
  start(): void {
    this.open = true;
    this.pump();
  }

  /** No further run starts; a current one goes on. */
  stop(): void {
    this.open = false;
  }

  private pump(): void {
    if (!this.open || !this.wanted || this.running) return;
    this.wanted = false;
    this.running = this.task().finally(() => {
      this.running = undefined;
      this.pump();
    });
  }
}

/** A server that answers nothing for so long counts as away; milliseconds. */
const SILENT_MS = 2_250;
const LOOK_MS = 250;

/** Notices when answers stay away: a server answers in order, so any answer shows that it is at work. By the machine's time. */
export class Watchdog {
  private waiting = 0;
  private quietSince = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly bark: () => void) {
    this.timer = setInterval(() => this.look(), LOOK_MS);
    this.timer.unref();
  }

  watch<T>(answer: Promise<T>): Promise<T> {
    if (this.waiting === 0) this.quietSince = performance.now();
    this.waiting += 1;
    const answered = (): void => {
      this.waiting -= 1;
      this.quietSince = performance.now();
    };
    answer.then(answered, answered);
    return answer;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** What has come while this process was busy is read before the second look. */
  private look(): void {
    if (!this.isSilent) return;
    setImmediate(() => {
      if (this.isSilent) this.bark();
    });
  }

  private get isSilent(): boolean {
    return this.waiting > 0 && performance.now() - this.quietSince > SILENT_MS;
  }
}

import type { SupervisionClock, SupervisionTimer } from './process-host.js';

interface Entry {
  readonly due: number;
  readonly task: () => void;
}

/** A clock that goes on when it is told to. */
export class ManualClock implements SupervisionClock {
  private now = 0;
  private entries: Entry[] = [];

  after(ms: number, task: () => void): SupervisionTimer {
    const entry = { due: this.now + ms, task };
    this.entries.push(entry);
    return { cancel: () => { this.entries = this.entries.filter((other) => other !== entry); } };
  }

  /** Runs what is due in these milliseconds, in its order. */
  async advance(ms: number): Promise<void> {
    const end = this.now + ms;
    for (;;) {
      const [next] = this.entries.filter(({ due }) => due <= end).sort((a, b) => a.due - b.due);
      if (!next) break;
      this.now = next.due;
      this.entries = this.entries.filter((other) => other !== next);
      next.task();
    }
    this.now = end;
    await new Promise((resolve) => { setImmediate(resolve); });
  }
}

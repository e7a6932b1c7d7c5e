import { residentMegabytes } from '../../bench/src/process-usage.js';

const EVERY_MS = 100;

/** Watches what a process takes of memory, in MB resident. */
export class MemoryWatch {
  /** The most that was seen. */
  peak = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly pid: number) {
    this.timer = setInterval(() => void this.now(), EVERY_MS);
    this.timer.unref();
  }

  now(): number {
    const megabytes = residentMegabytes(this.pid);
    this.peak = Math.max(this.peak, megabytes);
    return megabytes;
  }

  stop(): void {
    clearInterval(this.timer);
  }
}

import { request } from '../../support/http-client.js';
import { percentile } from '../../support/statistics.js';

const EVERY_MS = 200;

/** Asks `GET /health` on a connection of its own, now and then. */
export class HealthProbe {
  /** Milliseconds of each answer. */
  private readonly times: number[] = [];
  /** Answers other than 200, and errors. */
  readonly bad: string[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor(url: string, everyMs = EVERY_MS) {
    this.timer = setInterval(() => {
      const began = performance.now();
      request('GET', `${url}/health`).then(
        ({ status, text }) => (status === 200 ? this.times.push(performance.now() - began) : this.bad.push(`${status} ${text}`)),
        (error: Error) => this.bad.push(error.message),
      );
    }, everyMs);
  }

  stop(): { readonly count: number; readonly p99Ms: number; readonly maxMs: number; readonly bad: readonly string[] } {
    clearInterval(this.timer);
    const at = (part: number): number => Math.round(percentile(this.times, part));
    return { count: this.times.length, p99Ms: at(0.99), maxMs: at(1), bad: this.bad.slice(0, 5) };
  }
}

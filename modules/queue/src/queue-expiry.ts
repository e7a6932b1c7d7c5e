import type { Clock, Logger, QueueAdapter, Timer } from '@treadle/api';
import type { QueueObserver } from './queue-observer.js';

const DAY_MS = 86_400_000;
/** How often it is looked for what has expired; milliseconds. */
const EVERY_MS = 60_000;
/** @source product specification, section 5: dead letters and subscriptions */
export const RETENTION = { deadMs: 14 * DAY_MS, maxDead: 10_000, unroutedMs: 7 * DAY_MS } as const;

/** Gives up dead letters and unrouted messages that are too old or too many, and says so. */
export class QueueExpiry {
  observer: QueueObserver | undefined;
  private timer: Timer | undefined;
  private work: Promise<void> | undefined;

  constructor(private readonly adapter: Pick<QueueAdapter, 'expire'>, private readonly clock: Clock, private readonly log: Logger) {}

  start(): void {
    this.timer = this.clock.every(EVERY_MS, () => void (this.work ??= this.run()));
  }

  async stop(): Promise<void> {
    this.timer?.cancel();
    this.timer = undefined;
    await this.work;
  }

  private async run(): Promise<void> {
    const now = this.clock.now();
    const { deadMs, maxDead, unroutedMs } = RETENTION;
    try {
      const { dead, unrouted } = await this.adapter.expire({ deadBefore: now - deadMs, maxDead, unroutedBefore: now - unroutedMs });
      for (const { step, topic, count } of dead) this.gone('dead', count, { step, topic });
      for (const { topic, count } of unrouted) this.gone('unrouted', count, { topic });
    } catch (error) {
      this.log.warn('expired dead letters could not be removed; it is tried again', { error: String(error) });
    } finally {
      this.work = undefined;
    }
  }

  private gone(what: 'dead' | 'unrouted', count: number, where: Readonly<Record<string, string>>): void {
    this.observer?.expired(what, count);
    this.log.warn(what === 'dead' ? 'dead letters have expired' : 'messages that nobody consumed have expired', { ...where, count });
  }
}

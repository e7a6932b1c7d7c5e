import type { Clock, Logger, QueueAdapter } from '@treadle/api';
import type { QueueObserver } from '../telemetry/queue-observer.js';
import { Recurring } from '../recurring.js';

const DAY_MS = 86_400_000;
/** How often it is looked for what has expired; milliseconds. */
const EVERY_MS = 60_000;
/** Dead letters and subscriptions. */
const RETENTION = { deadMs: 14 * DAY_MS, maxDead: 10_000, unroutedMs: 7 * DAY_MS } as const;

/** Gives up dead letters and unrouted messages that are too old or too many, and says so. */
export class QueueExpiry extends Recurring {
  observer: QueueObserver | undefined;

  constructor(private readonly adapter: Pick<QueueAdapter, 'expire'>, private readonly clock: Clock, log: Logger) {
    super(EVERY_MS, 'expired dead letters could not be removed; it is tried again', log);
  }

  protected override async work(): Promise<void> {
    const now = this.clock.now();
    const { deadMs, maxDead, unroutedMs } = RETENTION;
    const { dead, unrouted } = await this.adapter.expire({ deadBefore: now - deadMs, maxDead, unroutedBefore: now - unroutedMs });
    for (const { step, topic, count } of dead) this.gone('dead', count, { step, topic });
    for (const { topic, count } of unrouted) this.gone('unrouted', count, { topic });
  }

  private gone(what: 'dead' | 'unrouted', count: number, where: Readonly<Record<string, string>>): void {
    this.observer?.expired(what, count);
    this.log.warn(what === 'dead' ? 'dead letters have expired' : 'messages that nobody consumed have expired', { ...where, count });
  }
}

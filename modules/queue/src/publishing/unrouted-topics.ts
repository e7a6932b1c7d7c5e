import type { Clock, Logger, Timer } from '@treadle/api';
import type { QueueObserver } from '../telemetry/queue-observer.js';

/** A catalog that is just arriving is given this long to name a consumer; milliseconds. */
const GRACE_MS = 1_000;
/** Topics that are remembered. */
const MAX_TOPICS = 1_000;

/** Counts the messages to topics without a consumer and warns once of each such topic. */
export class UnroutedTopics {
  observer: QueueObserver | undefined;
  private readonly noticed = new Map<string, Timer>();

  constructor(private readonly hasConsumer: (topic: string) => boolean, private readonly clock: Clock, private readonly log: Logger) {}

  /** A message goes to the topic. */
  readonly published = (topic: string): void => {
    if (this.hasConsumer(topic)) return;
    this.observer?.unrouted();
    if (this.noticed.has(topic) || this.noticed.size >= MAX_TOPICS) return;
    this.noticed.set(topic, this.clock.after(GRACE_MS, () => {
      if (this.hasConsumer(topic)) this.noticed.delete(topic);
      else this.log.warn('nobody consumes a topic: its messages are kept for 7 days', { topic });
    }));
  };

  /** Topics that have a consumer now are warned of again when they lose it. */
  refresh(): void {
    for (const [topic, timer] of this.noticed) {
      if (!this.hasConsumer(topic)) continue;
      timer.cancel();
      this.noticed.delete(topic);
    }
  }

  close(): void {
    for (const timer of this.noticed.values()) timer.cancel();
    this.noticed.clear();
  }
}

import type { DeliverySettings } from '../subscriptions/delivery-settings.js';

/** A subscription of the Step. */
export interface Sharer {
  readonly topic: string;
  readonly settings: Pick<DeliverySettings, 'concurrency'>;
}

/**
 * What runs of one Step, over all its subscriptions. Each of them has its own concurrency; together they have the largest of
 * those that the Step's queue triggers ask for.
 */
export class StepLoad<S extends Sharer> {
  /** Deliveries in handlers. */
  running = 0;
  /** Slots that claims under way may fill. */
  asked = 0;
  private consumers: readonly S[] = [];
  private limit = Infinity;

  /** These are the Step's subscriptions now. */
  use(consumers: readonly S[]): void {
    this.consumers = consumers;
    const queues = consumers.filter(({ topic }) => topic !== '');
    this.limit = Math.max(...(queues.length > 0 ? queues : consumers).map(({ settings }) => settings.concurrency));
  }

  get free(): number {
    return this.limit - this.running - this.asked;
  }

  /** Several subscriptions share the slots. */
  get shared(): boolean {
    return this.consumers.length > 1;
  }

  /** All of them, the ones after this one first: a slot that it has freed is theirs before it is its own again. */
  after(consumer: S): readonly S[] {
    const at = this.consumers.indexOf(consumer) + 1;
    return [...this.consumers.slice(at), ...this.consumers.slice(0, at)];
  }
}

import type { Clock, GaugeOptions, Labels, Logger, QueueAdapter, SubscriptionStatistics, Telemetry, Unsubscribe } from '@treadle/api';
import { Recurring } from '../recurring.js';

/** How old what the gauges tell may be; milliseconds. */
const EVERY_MS = 5_000;
const STATES = ['waiting', 'delayed', 'retrying', 'active', 'dead'] as const;

export const MESSAGES = { description: 'Messages of each Step by where they stand, dead letters too', unit: '{message}' };
export const OLDEST = { description: 'Age of the oldest message of each Step that is not settled', unit: 's' };

/** What waits in the queue, for how long, and what is dead: looked up in the store every five seconds. */
export class QueueGauges extends Recurring {
  private known: readonly SubscriptionStatistics[] = [];
  private readonly gauges: readonly Unsubscribe[];

  constructor(private readonly adapter: Pick<QueueAdapter, 'statistics'>, telemetry: Telemetry, { clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    super(EVERY_MS, 'what waits in the queue could not be counted; it is tried again', log);
    const ages = (): Values => this.known.flatMap((one) => (one.oldest === undefined ? []
      : [{ value: Math.max(0, clock.now() - one.oldest) / 1000, labels: labelsOf(one) }]));
    this.gauges = [
      telemetry.gauge('treadle.queue.messages', { ...MESSAGES, read: () => this.counts() }),
      telemetry.gauge('treadle.queue.oldest_message.age', { ...OLDEST, read: ages }),
    ];
  }

  override async stop(): Promise<void> {
    for (const remove of this.gauges) remove();
    await super.stop();
  }

  protected override async work(): Promise<void> {
    this.known = await this.adapter.statistics();
  }

  private counts(): Values {
    return this.known.flatMap((one) => STATES.map((state) => ({ value: one[state], labels: { ...labelsOf(one), state } })));
  }
}

type Values = ReturnType<GaugeOptions['read']>;

/** Changes of state and streams have no topic. */
function labelsOf({ step, topic }: SubscriptionStatistics): Labels {
  return { 'messaging.destination.name': topic === '' ? 'changes' : topic, 'step.name': step };
}

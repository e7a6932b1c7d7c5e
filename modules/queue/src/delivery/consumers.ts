import type { Logger, StepId, StepRecord } from '@treadle/api';
import { Consumer, StepLoad } from './consumer.js';
import { wantedSubscriptions } from '../subscriptions/step-subscriptions.js';
import type { DeliveryKey } from '../subscriptions/trigger-topic.js';

/** The consumers of the Steps in the catalog. */
export class Consumers {
  private readonly byStep = new Map<StepId, Map<string, Consumer>>();
  /** Those of which something still runs or counts: they go on when their subscription is wanted again. */
  private readonly leaving = new Set<Consumer>();

  /** `commits`: the adapter can commit what atomic Steps do. `now`: milliseconds of the monotonic clock. */
  constructor(private readonly log: Logger, private readonly keyOf: DeliveryKey, private readonly commits: boolean, private readonly now: () => number) {}

  get(step: StepId, topic: string): Consumer | undefined {
    return this.byStep.get(step)?.get(topic);
  }

  of(step: StepId): readonly Consumer[] {
    return [...(this.byStep.get(step)?.values() ?? [])];
  }

  all(): readonly Consumer[] {
    return [...this.byStep.values()].flatMap((consumers) => [...consumers.values()]);
  }

  /** The Step is new or has changed; what runs goes on and counts. Gives the consumers that there are no more. */
  put(step: StepRecord): readonly Consumer[] {
    const before = this.known(step.id);
    const after = new Map<string, Consumer>();
    const [{ load } = { load: new StepLoad() }] = before.values();
    for (const wanted of wantedSubscriptions(step, this.keyOf)) {
      try {
        if (wanted.atomic && !this.commits) throw new Error('the adapter of the queue cannot commit what an atomic Step does');
        const known = before.get(wanted.topic);
        known?.use(wanted);
        after.set(wanted.topic, known ?? new Consumer(wanted, load));
      } catch (error) {
        this.log.error('a subscription cannot be served', { stepName: step.id, topic: wanted.topic, error: String(error) });
      }
    }
    const gone = this.of(step.id).filter(({ topic }) => !after.has(topic));
    this.leave(gone);
    for (const consumer of after.values()) this.leaving.delete(consumer);
    load.use([...after.values()]);
    if (after.size > 0) this.byStep.set(step.id, after);
    else this.byStep.delete(step.id);
    return gone;
  }

  /** Gives its consumers, which there are no more. */
  delete(step: StepId): readonly Consumer[] {
    const gone = this.of(step);
    this.leave(gone);
    this.byStep.delete(step);
    return gone;
  }

  /** By topic, with those that are leaving. */
  private known(step: StepId): ReadonlyMap<string, Consumer> {
    const now = this.now();
    for (const consumer of this.leaving) if (consumer.isIdle(now)) this.leaving.delete(consumer);
    const leaving = [...this.leaving].filter((consumer) => consumer.step === step);
    return new Map([...leaving, ...this.of(step)].map((consumer) => [consumer.topic, consumer]));
  }

  private leave(gone: readonly Consumer[]): void {
    for (const consumer of gone) {
      consumer.gone = true;
      this.leaving.add(consumer);
    }
  }
}

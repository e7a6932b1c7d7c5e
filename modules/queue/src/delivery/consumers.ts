import type { Logger, StepId, StepRecord } from '@treadle/api';
import { Consumer, StepLoad } from './consumer.js';
import { wantedSubscriptions } from '../subscriptions/step-subscriptions.js';
import type { DeliveryKey } from '../subscriptions/trigger-topic.js';

/** The consumers of the Steps in the catalog. */
export class Consumers {
  private readonly byStep = new Map<StepId, Map<string, Consumer>>();

  /** `commits`: the adapter can commit what atomic Steps do. */
  constructor(private readonly log: Logger, private readonly keyOf: DeliveryKey, private readonly commits: boolean) {}

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
    const before = this.byStep.get(step.id);
    const after = new Map<string, Consumer>();
    const load = this.of(step.id)[0]?.load ?? new StepLoad();
    for (const wanted of wantedSubscriptions(step, this.keyOf)) {
      try {
        if (wanted.atomic && !this.commits) throw new Error('the adapter of the queue cannot commit what an atomic Step does');
        const known = before?.get(wanted.topic);
        known?.use(wanted);
        after.set(wanted.topic, known ?? new Consumer(wanted, load));
      } catch (error) {
        this.log.error('a subscription cannot be served', { stepName: step.id, topic: wanted.topic, error: String(error) });
      }
    }
    const gone = [...before ?? []].flatMap(([topic, consumer]) => (after.has(topic) ? [] : [consumer]));
    for (const consumer of gone) consumer.gone = true;
    load.use([...after.values()]);
    if (after.size > 0) this.byStep.set(step.id, after);
    else this.byStep.delete(step.id);
    return gone;
  }

  /** Gives its consumers, which there are no more. */
  delete(step: StepId): readonly Consumer[] {
    const gone = this.of(step);
    for (const consumer of gone) consumer.gone = true;
    this.byStep.delete(step);
    return gone;
  }
}

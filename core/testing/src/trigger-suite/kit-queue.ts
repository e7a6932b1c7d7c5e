import { bind, type Binding, definePlugin, type Lifecycle, Module, OperationError, type Plugin, QueuePort, type TriggerDelivery } from '@treadle/api';

export const KIT_QUEUE = 'testing::kit::Queue';

/** Stands in for the queue module: notes what it is to deliver, and answers as a test wants. */
export class KitQueue implements QueuePort {
  /** All that was asked, in order. */
  readonly asked: TriggerDelivery[] = [];
  /** Called for each delivery that was stored. */
  stored: (delivery: TriggerDelivery) => void = () => undefined;
  private readonly answers: KitAnswer[] = [];
  private number = 0;

  /** Answers the next deliveries so; those after them are stored. */
  next(...answers: readonly KitAnswer[]): void {
    this.answers.push(...answers);
  }

  async deliver(delivery: TriggerDelivery): Promise<{ readonly messageId: string }> {
    this.asked.push(delivery);
    const answer = this.answers.shift() ?? 'stored';
    if (answer === 'never') return new Promise(() => undefined);
    if (answer === 'stored' || answer === 'QueueUnavailable') this.stored(delivery);
    if (answer !== 'stored') throw new OperationError(answer, `the kit answers ${answer}`);
    this.number += 1;
    return Promise.resolve({ messageId: String(this.number) });
  }

  enqueue(): Promise<never> {
    return Promise.reject(new Error('a trigger kind delivers with QueuePort.deliver'));
  }

  attachChanges(): never {
    throw new Error('a trigger kind has no stored changes');
  }

  /** What brings it into an engine. */
  plugin(): Plugin {
    const ports = (): Binding[] => [bind<QueuePort>(QueuePort, this)];
    class KitQueueModule implements Lifecycle {
      readonly ports = ports;
    }
    Module({
      id: KIT_QUEUE, summary: 'queue of the kit', stability: 'development', since: '0.1.0', config: { type: 'object', additionalProperties: false }, provides: [QueuePort],
    })(KitQueueModule);
    return definePlugin({ name: 'testing-kit-queue', version: '0.0.0', api: '*', modules: [KitQueueModule] });
  }
}

/**
 * `QueueFull` and `NoSuchTrigger`: refused. `QueueUnavailable`: stored, but the answer says that this is not known. `never`: not stored, and no answer.
 */
export type KitAnswer = 'stored' | 'QueueFull' | 'QueueUnavailable' | 'NoSuchTrigger' | 'never';

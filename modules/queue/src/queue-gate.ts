import type { ChangeFeed, ChangeSource, Origin, QueueMessage, QueuePort, TriggerDelivery } from '@treadle/api';
import { queueError } from './queue-errors.js';

/** The port as other modules hold it, from before the queue is open until after it has closed. */
export class QueueGate implements QueuePort {
  private queue: QueuePort | undefined;

  open(queue: QueuePort): void {
    this.queue = queue;
  }

  close(): void {
    this.queue = undefined;
  }

  async enqueue(messages: readonly QueueMessage[], origin?: Origin): Promise<readonly { readonly messageId: string }[]> {
    return this.opened().enqueue(messages, origin);
  }

  async deliver(delivery: TriggerDelivery, origin?: Origin): Promise<{ readonly messageId: string }> {
    return this.opened().deliver(delivery, origin);
  }

  attachChanges(source: ChangeSource): ChangeFeed {
    return this.opened().attachChanges(source);
  }

  private opened(): QueuePort {
    if (this.queue) return this.queue;
    throw queueError('QueueUnavailable', 'the queue is not running: nothing was enqueued');
  }
}

import type { AdoptedDelivery } from '@treadle/api';
import type { Arg } from '../store/connection.js';
import { Gatherer } from './gatherer.js';
import { messageText, progressText } from './message-text.js';
import type { QueueWork } from './queue-work.js';
import { keyText } from './subscription-list.js';
import { ADOPT } from './work-scripts.js';

/** As for enqueueing: a message weighs what it is long, and this. */
const MESSAGE_WEIGHT = 1_000;
const LIMITS = { atOnce: 1, weight: 500_000, weightOf: ({ data }: AdoptedDelivery): number => data.length + MESSAGE_WEIGHT };

/** Takes in deliveries that another store held. */
export class Adopter {
  private readonly gatherer = new Gatherer<AdoptedDelivery, boolean>(LIMITS, (deliveries) => this.write(deliveries));

  constructor(private readonly work: QueueWork) {}

  adoptMany(deliveries: readonly AdoptedDelivery[]): Promise<readonly boolean[]> {
    return this.gatherer.add(deliveries);
  }

  private async write(deliveries: readonly AdoptedDelivery[]): Promise<readonly boolean[]> {
    const { work } = this;
    const replies = await work.run<readonly number[]>(ADOPT, deliveries.flatMap((one) => this.argsOf(one)));
    const ready = new Set<number>();
    deliveries.forEach(({ dueAt, dead, ...key }, index) => {
      const number = work.list.get(key)?.number;
      if (replies[index] !== 1 || dead || number === undefined) return;
      const due = dueAt === undefined ? 0 : work.time.toStore(dueAt);
      if (due > work.time.now()) work.due.note(number, due);
      else ready.add(number);
    });
    work.wake(ready, true);
    return replies.map((reply) => reply === 1);
  }

  /** As `ADOPT` has it. */
  private argsOf({ step, topic, progress, dueAt, dead, messageId, ...message }: AdoptedDelivery): Arg[] {
    const { time } = this.work;
    return [
      keyText({ step, topic }), messageId, messageText({ ...message, id: messageId }, time), progressText(progress),
      dueAt === undefined ? '' : time.toStore(dueAt), dead?.reason ?? '', dead ? time.toStore(dead.at) : '',
    ];
  }
}

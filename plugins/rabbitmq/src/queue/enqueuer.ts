import { type EnqueueOutcome, type NewMessage, OperationError, type StoredSubscription, type SubscriptionKey } from '@treadle/api';
import type { Publisher } from '../server/publisher.js';
import type { Lane } from './lane.js';
import { Passage } from './passage.js';
import type { QueueWork } from './queue-work.js';
import { textOf } from './subscription-list.js';

interface Limits { readonly maxWaiting: number }
type Batch = readonly NewMessage[];

/** Messages for one queue on the server, with their places in the call. */
interface Sending {
  readonly target: StoredSubscription;
  readonly messages: NewMessage[];
  readonly places: number[];
}

/** Sends to the server what it can carry; the second store gets the rest. */
export class Enqueuer {
  /** Calls whose messages go into the second store. */
  private readonly storing = new Passage();

  constructor(private readonly work: QueueWork, private readonly publisher: Publisher, private readonly tell: (key: SubscriptionKey) => void) {}

  /** In the order of the calls, as far as the same store gets them. */
  async enqueueMany(batches: readonly Batch[], limits: Limits): Promise<readonly EnqueueOutcome[]> {
    const { sendings, places } = this.apart(batches);
    const parts = await Promise.allSettled([
      this.store(places.map((at) => batches[at] ?? []), limits).then((outcomes) => ({ outcomes, places })),
      ...sendings.map(async (sending) => ({ outcomes: await this.send(sending, limits), places: sending.places })),
    ]);
    const all: EnqueueOutcome[] = [];
    for (const part of parts) {
      if (part.status === 'rejected') throw whole(part.reason, batches.length);
      part.value.outcomes.forEach((outcome, index) => { all[part.value.places[index] ?? 0] = outcome; });
    }
    return all;
  }

  /** What the server carries, by queue, and the places of the batches that it does not. */
  private apart(batches: readonly Batch[]): { readonly sendings: readonly Sending[]; readonly places: readonly number[] } {
    const sendings = new Map<string, Sending>();
    const places: number[] = [];
    batches.forEach((batch, at) => {
      const [message] = batch;
      const target = this.work.carrierOf(batch);
      if (!message || !target) return places.push(at);
      const sending = sendings.get(textOf(target)) ?? { target, messages: [], places: [] };
      sendings.set(textOf(target), sending);
      sending.messages.push(message);
      return sending.places.push(at);
    });
    return { sendings: [...sendings.values()], places };
  }

  /** What the server holds of a subscription counts as well. */
  private async store(batches: readonly Batch[], { maxWaiting }: Limits): Promise<readonly EnqueueOutcome[]> {
    if (batches.length === 0) return [];
    const { work } = this;
    const targets = batches.flat().flatMap((message) => work.list.targetsOf(message));
    const { stored } = await this.storing.run(work.counts.onServer(targets), (outside) => ({
      stored: work.store.enqueueMany(batches, { maxWaiting: Math.max(0, maxWaiting - outside) }),
    }));
    const outcomes = await stored;
    work.counts.added(targets);
    for (const target of targets) work.noteInStore(target, true);
    return outcomes;
  }

  private async send({ target, messages }: Sending, limits: Limits): Promise<readonly EnqueueOutcome[]> {
    const lane = this.work.lane(target);
    const sending = await lane.sending.run(this.work.counts.learn(lane.key, limits.maxWaiting), () => this.publishAll(messages, lane, limits));
    const sent = await Promise.allSettled(sending);
    if (sent.length > 0) this.tell(lane.key);
    return messages.map((_message, index): EnqueueOutcome => {
      const one = sent[index];
      if (one?.status === 'rejected') throw one.reason as Error;
      return one?.value ?? { ok: false, full: lane.key };
    });
  }

  /** Sends as many of them as there is room for. */
  private async publishAll(messages: readonly NewMessage[], lane: Lane, limits: Limits): Promise<readonly Promise<EnqueueOutcome>[]> {
    const { counts } = this.work;
    if (counts.of(lane.key) + messages.length > limits.maxWaiting) await counts.count(lane.key);
    const room = Math.max(0, limits.maxWaiting - counts.of(lane.key));
    return messages.slice(0, room).map((message) => this.publish(message, lane, limits));
  }

  private publish(message: NewMessage, lane: Lane, limits: Limits): Promise<EnqueueOutcome> {
    lane.arrivals.sent(message.id);
    return this.publisher.publish(lane.name, message).then((outcome) => {
      lane.arrivals.answered(message.id);
      if (outcome === 'returned') return this.storeReturned(message, lane, limits);
      this.work.wake(lane.key);
      return { ok: true, ids: [message.id] };
    }, (error: unknown) => {
      lane.arrivals.answered(message.id);
      throw error;
    });
  }

  /** Somebody has removed the queue: it is made again for the next message. */
  private async storeReturned(message: NewMessage, lane: Lane, limits: Limits): Promise<EnqueueOutcome> {
    await lane.close();
    const [stored] = await this.store([[message]], limits);
    return stored ?? { ok: true, ids: [message.id] };
  }
}

/** That nothing was written can only be said of a call with one batch: another one of it may have been. */
function whole(reason: unknown, count: number): Error {
  if (count === 1 || !(reason instanceof OperationError) || reason.code !== 'StorageFull') return reason as Error;
  return new OperationError('StorageUnavailable', `${reason.message}; other messages of the call may have been stored`, reason);
}

import {
  type AtomicRun, type Attributes, type Clock, type EnqueueOutcome, formatTraceParent, type NewMessage, type OperationSpan, type OperationSpans, type Origin, type QueueAdapter,
  type QueueCapabilities, type QueueMessage, rootOrigin, spanError, type SubscriptionKey, type Telemetry, type TriggerDelivery, type Turn,
} from '@treadle/api';
import { checkBatchParts } from '@treadle/json';
import { HeldMessages } from './held-messages.js';
import { checkKey, checkMembers, checkMessages, checkTopic, dataText, dueTime, headersText } from './message-arguments.js';
import { MessageIds } from './message-ids.js';
import { queueError, storageError } from '../queue-errors.js';
import type { QueueObserver } from '../telemetry/queue-observer.js';
import type { QueueRates } from '../telemetry/queue-rates.js';
import { TopicNames } from './topic-names.js';

/** Largest message. Limits. */
export const MAX_MESSAGE_BYTES = 1_000_000;

/** What the publisher works with. */
export interface PublisherParts {
  readonly adapter: Pick<QueueAdapter, 'enqueueMany'>;
  readonly capabilities: Pick<QueueCapabilities, 'dedupe' | 'maxMessageBytes'> & Partial<Pick<QueueCapabilities, 'delayed'>>;
  readonly turn: Turn;
  readonly clock: Clock;
  /** Most messages that wait in one subscription. */
  readonly maxWaiting: number;
  /** A message goes to a topic. Quick. */
  readonly onTopic: (topic: string) => void;
  readonly rates?: QueueRates | undefined;
  readonly telemetry?: Telemetry | undefined;
  /** Writes the spans of what is published. */
  readonly spans?: OperationSpans | undefined;
}

export type Published = readonly { readonly messageId: string }[];

/** Messages that are stored together or not at all, and who waits for them: one of the two is called, once. */
interface Batch {
  readonly messages: readonly NewMessage[];
  readonly stored: (ids: readonly string[]) => void;
  readonly refused: (error: Error) => void;
}

/** Checks messages and gives them to the adapter, all of a turn in one call. */
export class Publisher {
  observer: QueueObserver | undefined;
  /** Most messages that wait in one subscription. */
  maxWaiting: number;
  private readonly ids = new MessageIds();
  private readonly names = new TopicNames('queue.publish');
  private readonly maxBytes: number;
  private gathered: Batch[] = [];
  private readonly askFlush: () => void;

  constructor(private readonly parts: PublisherParts) {
    this.maxWaiting = parts.maxWaiting;
    this.askFlush = parts.turn.at('enqueue', () => this.flush());
    this.maxBytes = Math.min(MAX_MESSAGE_BYTES, parts.capabilities.maxMessageBytes);
  }

  /** Resolves when the messages are durable, all or none. `step`: who enqueues. @throws OperationError see `QueueErrorCode` */
  enqueue(messages: readonly QueueMessage[], origin: Origin = rootOrigin(this.parts.telemetry), step = ''): Promise<Published> {
    return new Promise((resolve, reject) => {
      const checked = checkMessages(messages);
      if (checked.length === 0) {
        resolve([]);
        return;
      }
      const topic = oneTopic(checked);
      const span = this.parts.spans?.begin(origin, { name: this.names.of(topic), kind: 'producer', stepName: step });
      const publication = new Publication(topic, span, resolve, reject);
      try {
        publication.messages = this.newMessages(checked, span?.origin ?? origin);
        this.gather(publication);
      } catch (error) {
        publication.refused(error as Error);
      }
    });
  }

  /** Keeps the messages for the end of an atomic run, of which they become a part. @throws OperationError see `QueueErrorCode`, and `AtomicTooLarge` */
  hold(messages: readonly QueueMessage[], run: AtomicRun, { origin, step }: { readonly origin: Origin; readonly step: string }): Published {
    const checked = checkMessages(messages);
    if (checked.length === 0) return [];
    const topic = oneTopic(checked);
    const span = this.parts.spans?.begin(origin, { name: this.names.of(topic), kind: 'producer', stepName: step });
    try {
      const made = this.newMessages(checked, span?.origin ?? origin);
      run.enqueue(made);
      run.part('queue', () => new HeldMessages((all) => this.entered(all))).add(made);
      span?.end(publishAttributes(topic, made, made[0]?.id));
      return made.map(({ id }) => ({ messageId: id }));
    } catch (error) {
      span?.end(publishAttributes(topic, checked), spanError(error));
      throw error;
    }
  }

  /** Stores a delivery to a trigger of a plugin's kind; `topic` is that of its subscription. @throws OperationError see `QueueErrorCode` */
  deliver(topic: string, { input, dedupeKey, groupId }: TriggerDelivery, origin: Origin = rootOrigin(this.parts.telemetry)): Promise<Published> {
    return new Promise((resolve, reject) => {
      const span = this.parts.spans?.begin(origin, { name: this.names.of(topic), kind: 'producer', stepName: '' });
      const publication = new Publication(topic, span, resolve, reject);
      try {
        const { traceId, spanId, sampled, hops } = span?.origin ?? origin;
        const now = this.parts.clock.now();
        publication.messages = [{
          id: this.ids.next(now), topic, to: undefined, kind: 'trigger', data: dataText(input, topic, this.maxBytes),
          traceparent: formatTraceParent(traceId, spanId, sampled), hops: hops + 1, enqueuedAt: now,
          dedupeKey: this.dedupeKey(dedupeKey, topic), groupId: checkKey('groupId', groupId),
        }];
        this.gather(publication);
      } catch (error) {
        publication.refused(error as Error);
      }
    });
  }

  /** Stores one batch and gives the ids. */
  store(messages: readonly NewMessage[]): Promise<readonly string[]> {
    return new Promise((stored, refused) => this.gather({ messages, stored, refused }));
  }

  nextId(): string {
    return this.ids.next(this.parts.clock.now());
  }

  private flush(): void {
    const batches = this.gathered;
    this.gathered = [];
    this.parts.adapter.enqueueMany(batches.map(({ messages }) => messages), { maxWaiting: this.maxWaiting }).then(
      (outcomes) => this.stored(batches, outcomes),
      (cause: unknown) => {
        const error = storageError(cause);
        for (const batch of batches) batch.refused(error);
      },
    );
  }

  private stored(batches: readonly Batch[], outcomes: readonly EnqueueOutcome[]): void {
    batches.forEach((batch, index) => {
      const outcome = outcomes[index] as EnqueueOutcome;
      if (!outcome.ok) {
        batch.refused(full(outcome.full, this.maxWaiting));
        return;
      }
      this.entered(batch.messages);
      batch.stored(outcome.ids);
    });
  }

  /** Messages are durable. */
  private entered(messages: readonly NewMessage[]): void {
    this.observer?.published(messages.length);
    this.parts.rates?.entered(messages);
  }

  private gather(batch: Batch): void {
    this.gathered.push(batch);
    this.askFlush();
  }

  private newMessages(checked: readonly QueueMessage[], { traceId, spanId, sampled, hops }: Origin): readonly NewMessage[] {
    const from = { traceparent: formatTraceParent(traceId, spanId, sampled), hops, now: this.parts.clock.now() };
    const made = checked.map((message) => this.newMessage(message, from));
    if (made.length > 1) checkBatchParts(checked.map(({ data }) => data), made.reduce((length, { data }) => length + data.length, 0));
    return made;
  }

  private newMessage(message: QueueMessage, from: { readonly traceparent: string; readonly hops: number; readonly now: number }): NewMessage {
    const { now } = from;
    const topic = checkTopic(message.topic);
    checkMembers(message);
    const dedupeKey = this.dedupeKey(message.dedupeKey, topic);
    const dueAt = this.dueAt(message, now, topic);
    this.parts.onTopic(topic);
    return {
      id: this.ids.next(now), topic, to: undefined, kind: 'queue', data: dataText(message.data, topic, this.maxBytes),
      headers: headersText(message.headers), traceparent: from.traceparent, hops: from.hops, enqueuedAt: now,
      dueAt, dedupeKey, groupId: checkKey('messageGroupId', message.messageGroupId),
    };
  }

  private dueAt(message: QueueMessage, now: number, topic: string): number | undefined {
    const dueAt = dueTime(message, now, this.parts.clock);
    if (dueAt === undefined || this.parts.capabilities.delayed !== false) return dueAt;
    throw queueError('CAPABILITY_UNSUPPORTED', `a delay was refused for topic "${topic}": the queue's adapter has no delays`);
  }

  private dedupeKey(given: unknown, topic: string): string | undefined {
    const dedupeKey = checkKey('dedupeKey', given);
    if (dedupeKey === undefined || this.parts.capabilities.dedupe) return dedupeKey;
    throw queueError('CAPABILITY_UNSUPPORTED', `dedupeKey was refused for topic "${topic}": the queue's adapter cannot recognise repeated messages`);
  }
}

/** Messages of one `enqueue` on their way into the store. */
class Publication implements Batch {
  messages: readonly NewMessage[] = [];

  constructor(
    private readonly topic: string,
    private readonly span: OperationSpan | undefined,
    private readonly resolve: (published: Published) => void,
    private readonly reject: (error: Error) => void,
  ) {}

  stored(ids: readonly string[]): void {
    this.span?.end(publishAttributes(this.topic, this.messages, ids[0]));
    this.resolve(ids.map((messageId) => ({ messageId })));
  }

  refused(error: Error): void {
    this.span?.end(publishAttributes(this.topic, this.messages), spanError(error));
    this.reject(error);
  }
}

function publishAttributes(topic: string, { length }: { readonly length: number }, id?: string): Attributes {
  return {
    'messaging.system': 'treadle', 'messaging.operation.type': 'send', ...(topic !== '' && { 'messaging.destination.name': topic }),
    ...(length > 1 ? { 'messaging.batch.message_count': length } : id !== undefined && { 'messaging.message.id': id }),
  };
}

/** The topic of all messages; empty when they have several. */
function oneTopic(messages: readonly QueueMessage[]): string {
  const { topic } = messages[0] as QueueMessage;
  if (typeof topic !== 'string') return '';
  return messages.length === 1 || messages.every((message) => message.topic === topic) ? topic.slice(0, 200) : '';
}

/** `QueueFull` names the Step. Without one it is about messages that nobody consumes. */
export function full({ step, topic }: SubscriptionKey, maxWaiting: number): Error {
  const who = step === '' ? `topic "${topic}", which nobody consumes,` : `Step "${step}"`;
  const what = topic === '' ? 'changes' : `messages of topic "${topic}"`;
  return queueError('QueueFull', `${who} would have more than ${maxWaiting} ${what} waiting, which is its limit; nothing was enqueued`);
}

import type { AdoptedDelivery, NewMessage, QueueDelivery, SubscriptionKey } from '@treadle/api';
import type { ConsumeMessage, Options } from 'amqplib';

/** What a message has beside its data, as one text: AMQP's tables know no half surrogates. */
const HEADER = 'treadle';

type Rest = Pick<NewMessage, 'kind' | 'headers' | 'traceparent' | 'hops' | 'enqueuedAt' | 'groupId'>;

/** A message as the server has carried it. */
export type Carried = Omit<QueueDelivery, 'deliveryId' | 'epoch' | 'step' | 'topic' | 'progress'>;

/** Of deliveries that the server carries: nobody has tried them. */
export const FRESH = { attempts: 0, deaths: 0, history: '' } as const;

/** Body and properties of a message. */
export function encode({ id, data, kind, headers, traceparent, hops, enqueuedAt, groupId }: NewMessage): { readonly body: Buffer; readonly properties: Options.Publish } {
  const rest: Rest = { kind, headers, traceparent, hops, enqueuedAt, groupId };
  return {
    body: Buffer.from(data),
    properties: { persistent: true, mandatory: true, contentType: 'application/json', messageId: id, headers: { [HEADER]: JSON.stringify(rest) } },
  };
}

/** Undefined for a message that is not of Treadle. */
export function decode({ content, properties }: Pick<ConsumeMessage, 'content' | 'properties'>): Carried | undefined {
  const { messageId, headers } = properties as { readonly messageId?: unknown; readonly headers?: Readonly<Record<string, unknown>> };
  const text = headers?.[HEADER];
  if (typeof messageId !== 'string' || typeof text !== 'string') return undefined;
  return { messageId, data: content.toString(), ...JSON.parse(text) as Rest };
}

/** The delivery as the second store takes it. */
export function adopted({ step, topic }: SubscriptionKey, message: Carried): AdoptedDelivery {
  return { ...message, step, topic, progress: FRESH };
}

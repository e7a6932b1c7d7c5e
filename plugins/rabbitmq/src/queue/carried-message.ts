import type { AdoptedDelivery, NewMessage, QueueDelivery, SubscriptionKey } from '@treadle/api';
import type { Options } from 'amqplib';
import type { Foreign } from './foreign-messages.js';

/** Type of messages of Treadle. */
const TYPE = 'treadle';
const NEWLINE = 10;
/** Where the versions before had all but id and data. */
const FORMER_HEADER = 'treadle';

/** What a message has before its data, as a line of JSON: properties of AMQP cost both ends more. */
type Head = Pick<NewMessage, 'id' | 'kind' | 'headers' | 'traceparent' | 'hops' | 'enqueuedAt' | 'groupId'>;

/** What may be absent from it, with its type. */
const MAY_HAVE: readonly (readonly [keyof Head, string])[] = [['headers', 'string'], ['traceparent', 'string'], ['hops', 'number'], ['groupId', 'string']];

/** A message as the server has carried it. */
export type Carried = Omit<QueueDelivery, 'deliveryId' | 'epoch' | 'step' | 'topic' | 'progress'>;

/** Of deliveries that the server carries: nobody has tried them. */
export const FRESH = { attempts: 0, deaths: 0, history: '' } as const;

/** Of all messages: kept on the disk, and given back where no queue takes them. */
export const PROPERTIES: Options.Publish = { persistent: true, mandatory: true, type: TYPE };

/** The body of a message. */
export function encode({ id, data, kind, headers, traceparent, hops, enqueuedAt, groupId }: NewMessage): Buffer {
  const head: Head = { id, kind, headers, traceparent, hops, enqueuedAt, groupId };
  return Buffer.from(`${JSON.stringify(head)}\n${data}`);
}

/** Undefined for a message that is not of Treadle, whatever it says of itself. */
export function decode({ content, properties }: Foreign): Carried | undefined {
  const { type, messageId, headers } = properties as { readonly type?: unknown; readonly messageId?: unknown; readonly headers?: Readonly<Record<string, unknown>> };
  if (type === TYPE) {
    const end = content.indexOf(NEWLINE);
    return carriedOf(parsed(content.toString('utf8', 0, end)), content.toString('utf8', end + 1));
  }
  const text = headers?.[FORMER_HEADER];
  return typeof text === 'string' ? carriedOf({ ...parsed(text), id: messageId }, content.toString()) : undefined;
}

function carriedOf(head: Readonly<Record<string, unknown>>, data: string): Carried | undefined {
  if (typeof head['id'] !== 'string' || typeof head['kind'] !== 'string' || typeof head['enqueuedAt'] !== 'number') return undefined;
  if (MAY_HAVE.some(([name, type]) => head[name] !== undefined && typeof head[name] !== type)) return undefined;
  const { id: messageId, kind, headers, traceparent = '', hops = 0, enqueuedAt, groupId } = head as unknown as Head;
  return { messageId, data, kind, headers, traceparent, hops, enqueuedAt, groupId };
}

/** Without anything for a text that is no object of JSON. */
function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? value as Readonly<Record<string, unknown>> : {};
  } catch {
    return {};
  }
}

/** The delivery as the second store takes it. */
export function adopted({ step, topic }: SubscriptionKey, message: Carried): AdoptedDelivery {
  return { ...message, step, topic, progress: FRESH };
}

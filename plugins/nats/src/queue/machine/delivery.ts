import type { DeadLetterReason, DeliveryProgress, SubscriptionKey } from '@treadle/api';

/** Where a text lies: the sequence of a message of the log, and which of its bytes. */
export type BodyRef = readonly [seq: number, from: number, to: number];

/** Where the texts of a message lie. */
export type Refs = Pick<KeptMessage, 'body' | 'data'>;

/** Where what has places among the bodies of an entry lies. */
export function refsOf({ body, data }: BodyPlaces, bodies: readonly BodyRef[]): Refs {
  return { body: bodies[body] as BodyRef, ...data !== undefined && { data: bodies[data] } };
}

/** Places of a body among those of the entry, and of data that were too large to be in it. */
export interface BodyPlaces {
  readonly body: number;
  readonly data?: number | undefined;
}

/** A message as it waits: what the queue goes by, and where the rest of it lies. Moments are the store's. */
export interface KeptMessage {
  readonly body: BodyRef;
  /** Other data than those of the body. */
  readonly data?: BodyRef | undefined;
  /** It was a dead letter: it has no hops any more. */
  readonly redriven?: true | undefined;
  readonly enqueuedAt: number;
  readonly groupId?: string | undefined;
}

/** Who has claimed a delivery. */
export interface Hold {
  readonly epoch: string;
  readonly member: string;
  readonly until: number;
}

/** What the epochs of an entry's claims begin with. No other entry has it, while another one may have the sequence after a power cut. */
export function epochHead(member: string, number: number): string {
  return `${member}.${number}.`;
}

/** A delivery; it is replaced, never changed. */
export interface Delivery extends KeptMessage {
  readonly id: number;
  /** 0: at once. */
  readonly dueAt: number;
  /** It is not due yet. */
  readonly later: boolean;
  readonly progress: DeliveryProgress;
  readonly held?: Hold | undefined;
}

/** A dead letter. */
export interface Letter extends KeptMessage, SubscriptionKey {
  readonly id: number;
  readonly reason: DeadLetterReason;
  readonly deadAt: number;
  readonly progress: DeliveryProgress;
}

/** A message of a topic that nobody has subscribed to. */
export interface Unrouted extends KeptMessage {
  readonly id: number;
  readonly dueAt: number;
}

/** Progress of a delivery that nobody has tried. */
export const FRESH: DeliveryProgress = { attempts: 0, deaths: 0, history: '' };

/** What of a delivery or letter is the message's. */
export function messageOf({ body, data, redriven, enqueuedAt, groupId }: KeptMessage): KeptMessage {
  return { body, data, redriven, enqueuedAt, groupId };
}

/** A key as one text. */
export function textOf({ step, topic }: SubscriptionKey): string {
  return `${step.length} ${step} ${topic}`;
}

import type { IsoTime, JsonValue, Page, PayloadText } from './common.js';

/** `GET /queues` */
export interface QueuesAnswer {
  readonly items: readonly QueueInfo[];
  /** Subscriptions that are no more and have dead letters. */
  readonly gone: readonly { readonly step: string; readonly topic: string; readonly dead: number }[];
  /** Topics that nobody consumes. */
  readonly unrouted: readonly { readonly topic: string; readonly count: number; readonly oldestAgeMs: number }[];
}

/** A subscription: a Step and a topic; the topic is empty for changes of state and streams. */
export interface QueueInfo {
  readonly step: string;
  readonly topic: string;
  readonly application: string;
  readonly paused: boolean;
  readonly fifo: boolean;
  readonly waiting: number;
  readonly delayed: number;
  readonly retrying: number;
  readonly active: number;
  readonly dead: number;
  readonly oldestAgeMs?: number;
}

/** `GET /queues/search?topic=&step=&state=&q=&limit=&cursor=`: messages that wait, run or are to be tried again, of one consumer after the other. */
export interface MessagesFound extends Page<QueueMessage> {
  /** Messages that this answer looked at, at most 5,000; with a `cursor` there are more behind them. */
  readonly examined: number;
  /** The store shows what waits from its head alone: there may be more. */
  readonly headOnly?: true;
}

/** One of `GET /queues/messages?step=&topic=&limit=`' items. */
export interface QueueMessage {
  readonly messageId: string;
  readonly deliveryId: number;
  readonly step: string;
  readonly topic: string;
  readonly data: JsonValue;
  readonly headers?: Readonly<Record<string, PayloadText>>;
  readonly groupId?: string;
  readonly attempts: number;
  readonly enqueuedAt: IsoTime;
  readonly dueAt?: IsoTime;
  readonly active: boolean;
  readonly traceId: string;
}

export interface AttemptError {
  readonly at: IsoTime;
  readonly ms?: number;
  readonly attempt: number;
  readonly code: string;
  readonly name?: string;
  readonly message: string;
  readonly stack?: string;
  readonly issues?: readonly { readonly in: string; readonly path: string; readonly message: string; readonly code: string }[];
}

/** `GET /queues/dead-letters?step=&topic=&reason=&q=&limit=&cursor=`, the latest first. */
export interface DeadLetterPage extends Page<DeadLetter> {
  /** With `q`: letters that this answer looked at, at most about 5,000; with a `cursor` there are more behind them. */
  readonly examined?: number;
}

/** One of `GET /queues/dead-letters`' items. */
export interface DeadLetter {
  readonly id: string;
  readonly step: string;
  readonly topic: string;
  readonly reason: 'max_attempts' | 'non_retryable' | 'invalid_input' | 'crash_limit' | 'loop_limit' | 'subscription_retired';
  readonly deadAt: IsoTime;
  readonly messageId: string;
  readonly kind: 'queue' | 'state' | 'stream' | 'trigger';
  readonly data: JsonValue;
  readonly headers?: Readonly<Record<string, PayloadText>>;
  readonly groupId?: string;
  readonly traceId: string;
  readonly enqueuedAt: IsoTime;
  readonly attempts: number;
  readonly deaths: number;
  readonly errors: readonly AttemptError[];
}

/** `GET /queues/dead-letters/groups?step=&topic=&reason=`: letters whose last error is alike, the most frequent first. */
export interface DeadLetterGroups {
  readonly items: readonly DeadLetterGroup[];
  /** Letters that were looked at. */
  readonly examined: number;
  /** There are more than were looked at (10,000, the newest). */
  readonly truncated: boolean;
}

export interface DeadLetterGroup {
  /** 16 hex digits: Step, topic, reason, error name and the error's text without numbers and ids. */
  readonly fingerprint: string;
  readonly step: string;
  readonly topic: string;
  readonly reason: DeadLetter['reason'];
  readonly errorName?: string;
  readonly message: string;
  readonly count: number;
  readonly first: IsoTime;
  readonly last: IsoTime;
  /** Ids of the newest, at most 5. */
  readonly samples: readonly string[];
}

/** `GET /queues/rates?windowMs=`: messages a second over the last minute, or another window from 5 seconds to 5 minutes. */
export interface QueueRates {
  readonly items: readonly QueueRate[];
  /** Time that was looked at: shorter than the window soon after the start. */
  readonly windowMs: number;
}

export interface QueueRate {
  readonly step: string;
  readonly topic: string;
  /** Messages a second. `failed` are attempts that will be repeated; `settled` is done and dead. */
  readonly enqueuedPerSecond: number;
  readonly donePerSecond: number;
  readonly failedPerSecond: number;
  readonly deadPerSecond: number;
  readonly settledPerSecond: number;
  /** Until nothing waits at this rate; absent when it grows or nothing waits. */
  readonly drainMs?: number;
}

/** `GET /queues/dead-letters/ids?step=&topic=&reason=&fingerprint=&q=`, the newest first. */
export interface DeadLetterIds {
  readonly items: readonly string[];
  /** There are more than the 100,000 that were looked at. */
  readonly truncated: boolean;
}

/** Body of `POST /queues/pause` and `/resume`. */
export interface SubscriptionChoice {
  readonly step: string;
  /** Absent: all of the Step; `""`: changes of state and streams. */
  readonly topic?: string;
}

/** What `POST /queues/pause` and `/resume` answer. */
export interface SubscriptionsSteered {
  readonly step: string;
  readonly topics: readonly string[];
  readonly paused: boolean;
}

/** Body of `POST /queues/purge`: a subscription, or without `step` what lies in a topic that nobody consumes. */
export type PurgeRequest = SubscriptionChoice | { readonly topic: string };

/** Which dead letters are meant; everything only with `all`. */
export interface LetterChoice {
  readonly ids?: readonly string[];
  readonly step?: string;
  readonly topic?: string;
  readonly reason?: DeadLetter['reason'];
  readonly all?: true;
}

/** Body of `POST /queues/dead-letters/redrive`. */
export interface RedriveRequest extends LetterChoice {
  /** Another Step than the one in which it died. */
  readonly toStep?: string;
  /** Another payload. */
  readonly data?: JsonValue;
}

/** What `POST /queues/purge` answers: how many messages were removed. */
export interface Purged {
  readonly purged: number;
}

/** What `POST /queues/dead-letters/redrive` answers. */
export interface Redriven extends LettersNotFound {
  readonly redriven: number;
}

/** What `POST /queues/dead-letters/discard` answers. */
export interface Discarded extends LettersNotFound {
  readonly discarded: number;
}

interface LettersNotFound {
  /** Those of `ids` that are not there, or are not of the named Step, topic and reason; absent when all are. */
  readonly notFound?: readonly string[];
}

/** Body of `POST /queues/messages`: one message, or several that are enqueued together. */
export type PublishRequest = NewMessage | { readonly messages: readonly NewMessage[] };

/** A message to a topic. */
export interface NewMessage {
  readonly topic: string;
  readonly data: JsonValue;
  /** Not with `at`. */
  readonly delayMs?: number;
  /** When it is due: ISO 8601, or milliseconds since the epoch. */
  readonly at?: string | number;
  readonly dedupeKey?: string;
  readonly messageGroupId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What `POST /queues/messages` answers. */
export interface Published {
  /** In the order of the messages. */
  readonly messageIds: readonly string[];
  readonly traceId: string;
  /** Topics of theirs that nobody consumes; absent when there are none. */
  readonly unrouted?: readonly string[];
}

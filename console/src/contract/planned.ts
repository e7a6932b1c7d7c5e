import type { IsoTime, JsonValue, Role } from './common.js';

// Agreed, and served by no engine yet: a client finds in the index of the API (`GET /api/v1`) whether a route is there.

/** One of `GET /queues/rates`' items, from the metrics' history over the last `windowMs` (default 60,000). */
export interface QueueRate {
  readonly step: string;
  readonly topic: string;
  /** Messages a second. */
  readonly enqueuedPerSecond: number;
  readonly settledPerSecond: number;
  /** Until nothing waits at this rate; absent when it grows or nothing waits. */
  readonly drainMs?: number;
}

/** `POST /selections`: freezes which objects a job is for. Kept 10 minutes; at most 100 of them, of 100,000 ids each. */
export type SelectionRequest =
  | { readonly kind: 'dead-letters'; readonly step?: string; readonly topic?: string; readonly reason?: string; readonly fingerprint?: string; readonly ids?: readonly string[] }
  | { readonly kind: 'state-keys'; readonly group: string; readonly prefix?: string; readonly keys?: readonly string[] };

/** What is chosen. */
export interface Selection {
  readonly id: string;
  readonly kind: SelectionRequest['kind'];
  readonly count: number;
  /** SHA-256 of the ids in their order, as hex. */
  readonly hash: string;
  readonly expiresAt: IsoTime;
  /** At most 5: ids of letters, names of keys. */
  readonly samples: readonly string[];
  /** There were more than a selection may hold; they are not in it. */
  readonly truncated: boolean;
  /** What may be done with it and who may. */
  readonly actions: readonly { readonly action: JobRequest['action']; readonly role: Role }[];
}

/** `POST /jobs`. `count` must be that of the selection: who confirms says how many. */
export interface JobRequest {
  readonly selection: string;
  readonly count: number;
  readonly action: 'redrive' | 'discard' | 'delete';
  /** Items a second; default: as fast as it goes. */
  readonly perSecond?: number;
  /** Does one, waits for `POST /jobs/:id/resume`. */
  readonly canary?: boolean;
  /** Redrive: other data for each of them. */
  readonly data?: JsonValue;
}

/** `GET /jobs/:id`, `GET /jobs`. The last 100 are known until the engine ends. */
export interface Job {
  readonly id: string;
  readonly selection: string;
  readonly action: JobRequest['action'];
  readonly who: string;
  readonly startedAt: IsoTime;
  readonly endedAt?: IsoTime;
  readonly state: 'running' | 'paused' | 'done' | 'cancelled' | 'failed';
  readonly count: number;
  readonly done: number;
  /** Not there any more. */
  readonly missing: number;
  readonly failed: number;
  /** The first 100 that did not go through. */
  readonly failures: readonly { readonly id: string; readonly code: string; readonly detail: string }[];
}

/** One of `GET /streams/connections`' items: a client. */
export interface StreamConnection {
  readonly id: string;
  readonly address: string;
  readonly since: IsoTime;
  /** Bytes that wait for it. */
  readonly waitingBytes: number;
  readonly subscriptions: readonly { readonly stream: string; readonly group: string; readonly id?: string }[];
}

/** `GET /cron/expression?expression=&timezone=&count=` */
export interface CronExpressionTest {
  readonly next: readonly IsoTime[];
}

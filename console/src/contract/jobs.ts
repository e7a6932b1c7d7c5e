import type { IsoTime, JsonValue, Role } from './common.js';

/**
 * `POST /selections`: freezes which objects a job is for; what comes later is not in it. Kept 10 minutes, or until a job takes it; at most 100,000 ids in one
 * and 500,000 in all, the oldest give way.
 */
export type SelectionRequest =
  | { readonly kind: 'dead-letters'; readonly step?: string; readonly topic?: string; readonly reason?: string; readonly fingerprint?: string; /** A query; not with `ids`. */ readonly q?: string; readonly ids?: readonly string[] }
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

/** One of `GET /jobs`' items, the latest first. The last 100 are known until the engine ends; it does nothing of them after a restart. */
export interface JobSummary {
  readonly id: string;
  readonly selection: string;
  readonly action: JobRequest['action'];
  readonly kind: SelectionRequest['kind'];
  /** Of letters that were chosen by it. */
  readonly topic?: string;
  /** Of keys. */
  readonly group?: string;
  readonly who: string;
  readonly startedAt: IsoTime;
  readonly endedAt?: IsoTime;
  /** `failed`: it could not go on, see `error`. What did not go through alone is counted in `failed`. */
  readonly state: 'running' | 'paused' | 'done' | 'cancelled' | 'failed';
  readonly count: number;
  readonly done: number;
  /** With `canary`: the one that it did before it waited. A letter has the trace in which its message goes on. */
  readonly first?: { readonly id: string; readonly traceId?: string };
  /** Not there any more. */
  readonly missing: number;
  readonly failed: number;
  readonly error?: string;
}

/** `GET /jobs/:id`, and what begins and steers one. */
export interface Job extends JobSummary {
  /** The first 100 that did not go through. */
  readonly failures: readonly { readonly id: string; readonly code: string; readonly detail: string }[];
}

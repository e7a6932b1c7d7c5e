import type { EpochMs, JsonValue, TextSpan } from './common.js';

/**
 * `WS /api/v1/live`. Each message of the server is one JSON array of frames; it sends ten a second at most, and one in five seconds while `hidden`.
 * Client messages are single objects.
 */
export type ClientMessage =
  /** `id` is the client's own name for it, at most 64 characters; one that is in use is replaced. */
  | { readonly type: 'subscribe'; readonly id: string; readonly topic: LiveTopic; readonly query?: Readonly<Record<string, string>> }
  | { readonly type: 'unsubscribe'; readonly id: string }
  /** Whether anybody sees the page. */
  | { readonly type: 'visibility'; readonly hidden: boolean };

/**
 * | topic | query | data |
 * |---|---|---|
 * | `overview` | | snapshots of `Overview` |
 * | `queues` | | snapshots of `QueuesAnswer` |
 * | `findings` | | snapshots of `Items<Finding>` |
 * | `flows` | | snapshots of `FlowGraph` |
 * | `steps` | | snapshots of `StepsAnswer` |
 * | `modules` | | snapshots of `Items<ModuleInfo>` |
 * | `jobs` | | snapshots of `Items<Job>` |
 * | `logs` | `q`, `level`, `step`, `traceId`, `tail` | deltas of `LogEvent` |
 * | `traces` | `q`, `limit` | deltas of `TraceEvent` |
 * | `state` | `group`, `key` | deltas of `StateChange` |
 * | `stream` | `stream`, `group` | deltas of `StreamEvent` |
 * | `join` | `stream`, `group`, `id`, `search`, `headers` | deltas of `JoinEvent`; for operators |
 *
 * Any other text is the path of a module's event route, below `/api/v1`, e.g. `/modules/acme::mail::MailModule/outbox`.
 */
export type LiveTopic = NamedTopic | `/${string}`;

/** Topics of the engine itself. */
export type NamedTopic = 'overview' | 'queues' | 'findings' | 'flows' | 'steps' | 'modules' | 'jobs' | 'logs' | 'traces' | 'state' | 'stream' | 'join';

/** `seq` counts the frames of a subscription from 1, without gaps: a missing number is a fault. */
export type LiveFrame =
  /** The first one. Another `bootId` than before: the engine was started anew, and what was kept in memory is gone. */
  | { readonly type: 'hello'; readonly bootId: string; readonly time: EpochMs }
  /** Replaces all that was known. Sent when it has changed. */
  | { readonly type: 'snapshot'; readonly id: string; readonly seq: number; readonly data: JsonValue }
  /** What was sent is not up to date any more: it cannot be read. A snapshot follows as soon as it can, be it the same. */
  | { readonly type: 'stale'; readonly id: string; readonly seq: number; readonly code: string; readonly detail: string }
  /** What came since; in the order in which it came. */
  | { readonly type: 'delta'; readonly id: string; readonly seq: number; readonly events: readonly JsonValue[] }
  /** So many events are left out here, those between the two times: they came faster than they may be sent or were read. */
  | { readonly type: 'gap'; readonly id: string; readonly seq: number; readonly dropped: number; readonly from: EpochMs; readonly to: EpochMs }
  /** The subscription was refused or has ended, e.g. as its module was stopped. `at`: with `invalid_query`, as in a `Problem`. */
  | { readonly type: 'end'; readonly id: string; readonly code: string; readonly detail: string; readonly at?: TextSpan }
  /** A message that was not understood. */
  | { readonly type: 'error'; readonly code: string; readonly detail: string };

import type { Json } from '../config-schema.js';
import type { WrittenJson } from '../written-json.js';
import type { StepId } from '../step-record.js';
import type { Call } from '../dispatch/sessions.js';
import { token } from '../token.js';
import { newSpanId, newTraceId, NO_SPAN } from '../trace-context.js';
import type { Unsubscribe } from '../unsubscribe.js';
import type { Telemetry } from './telemetry.js';

const TOPIC = /^[A-Za-z0-9._:/-]{1,200}$/;

/** True for a name that a topic may have. */
export function isTopicName(value: unknown): value is string {
  return typeof value === 'string' && TOPIC.test(value);
}

/** What a topic may be, for messages to people. */
export const TOPIC_RULE = '1 to 200 letters, digits, ".", "_", ":", "/" or "-"';

/** A message as other modules and `ctx.enqueue` give it. */
export interface QueueMessage {
  readonly topic: string;
  readonly data: Json;
  readonly delayMs?: number | undefined;
  /** ISO 8601 text or milliseconds since the epoch. */
  readonly at?: string | number | undefined;
  readonly dedupeKey?: string | undefined;
  readonly messageGroupId?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Where a write comes from, so that what it causes belongs to the same trace and chains of triggers end. */
export interface Origin {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits; `NO_SPAN` when no span caused it. */
  readonly spanId: string;
  readonly sampled: boolean;
  /** Deliveries of state and stream triggers that led here; 0 for a request from outside. */
  readonly hops: number;
}

/** The origin of what a running handler does: its parent is the handler's span. */
export function originOf({ request, spanId = request.spanId }: Pick<Call, 'request' | 'spanId'>): Origin {
  const { traceId, sampled, hops = 0 } = request;
  return { traceId, spanId, sampled, hops };
}

/** The origin of what nothing inside the engine caused: a trace of its own, sampled as the observability module decides. */
export function rootOrigin(telemetry: Pick<Telemetry, 'tracing' | 'samples'> | undefined): Origin {
  const traceId = newTraceId();
  const sampled = telemetry?.tracing === true && telemetry.samples(traceId);
  // Where spans are written, one with a parent that nobody wrote would look torn off.
  return { traceId, spanId: sampled ? NO_SPAN : newSpanId(), sampled, hops: 0 };
}

/** The text that is kept with a change: where it comes from, or else a trace of its own. */
export function originText(origin: Origin | undefined, telemetry: Pick<Telemetry, 'tracing' | 'samples'> | undefined): string {
  const { traceId, spanId, sampled, hops } = origin ?? rootOrigin(telemetry);
  return JSON.stringify({ traceId, spanId, sampled, hops });
}

/** Reads what `originText` wrote. Without it, or when it is damaged, the change is delivered all the same, in a trace of its own. */
export function originFromText(text: string | undefined, telemetry: Pick<Telemetry, 'tracing' | 'samples'> | undefined): Origin {
  try {
    if (text !== undefined) return JSON.parse(text) as Origin;
  } catch {
    // Of another version or a damaged row.
  }
  return rootOrigin(telemetry);
}

/** What a write changed, as triggers select it. */
export type ChangeSubject =
  | { readonly kind: 'state'; readonly group: string; readonly key: string }
  | {
    readonly kind: 'stream'; readonly streamName: string; readonly groupId: string; readonly id: string;
    readonly event: 'create' | 'update' | 'delete';
  };

/** A change that was stored together with its value, on its way to the Steps that listen. */
export interface StoredChange {
  readonly id: string;
  readonly subject: ChangeSubject;
  /** First argument of the handlers. Made anew each time. */
  readonly input: WrittenJson;
  /** About how many bytes the input has. */
  readonly bytes: number;
  readonly origin: Origin;
}

/** Which of several engines on one store takes pending changes to their triggers. */
export interface SharedChanges {
  /**
   * True when this engine is the one, for `leaseMs` from now by the store's time; false while another one is. Who leads asks again before that
   * time is over, and nobody else gets in between. Another engine may lead as soon as this one has stopped.
   */
  lead(leaseMs: number): Promise<boolean>;
  /** Called when another engine may have stored a change; perhaps too often. */
  onChanges(listener: () => void): Unsubscribe;
}

/** Where a module keeps its stored changes. */
export interface ChangeSource {
  readonly kind: ChangeSubject['kind'];
  /** Oldest first; with `after`, the id of one that is pending, only those behind it. An id that is not pending begins at the oldest. */
  pending(limit: number, after?: string): Promise<readonly StoredChange[]>;
  settle(ids: readonly string[]): Promise<void>;
  /** Present when several engines share the store. */
  readonly shared?: SharedChanges | undefined;
}

/** The queue's side of a change source. */
export interface ChangeFeed {
  /** True when a Step listens to it; then the change is to be stored together with the value. Quick. */
  wants(subject: ChangeSubject): boolean;
  /**
   * A change was stored: the queue fetches, enqueues and settles what is pending, in order. After `close` the feed that has been attached for the same
   * kind since then does so: a commit that began before may end after it.
   */
  recorded(): void;
  /** Ends the use, except that `wants` goes on answering; resolves when nothing is under way any more. */
  close(): Promise<void>;
}

/** Something for one trigger of one Step, of a kind that declares a `deliveryKey`. */
export interface TriggerDelivery {
  readonly step: StepId;
  /**
   * Which of the Step's triggers: its `type`, and the key that the kind's `deliveryKey` gives for it. Of several with one key it is the
   * first. It is looked up anew at each attempt, so that a key means the same trigger after the Step was deployed again with its triggers in another order.
   */
  readonly trigger: { readonly type: string; readonly key: string };
  /** First argument of the handler. */
  readonly input: Json;
  /** A repeat for the same trigger within 24 hours writes nothing and resolves to the first `messageId`. Up to 256 characters. */
  readonly dedupeKey?: string | undefined;
  /** Where the trigger's `config` has `type: 'fifo'`: deliveries of one group are made one at a time, in order. */
  readonly groupId?: string | undefined;
}

/** The queue for other modules. */
export interface QueuePort {
  /** Resolves when the messages are durable, all or none. */
  enqueue(messages: readonly QueueMessage[], origin?: Origin): Promise<readonly { readonly messageId: string }[]>;
  /**
   * Resolves when the delivery is durable: from then on it is made at least once, also when the engine or the worker dies, with the attempts,
   * back-off and limits of the trigger's `config`, and becomes a dead letter after the last attempt. Give `origin` when something inside the engine
   * caused it.
   * @throws OperationError `NoSuchTrigger` when the Step has no such trigger, `InvalidValue`, `QueueFull`: nothing was stored;
   * `QueueUnavailable`: whether it was is not known. Give a `dedupeKey` to repeat it safely
   */
  deliver(delivery: TriggerDelivery, origin?: Origin): Promise<{ readonly messageId: string }>;
  /** Delivers a module's changes to state and stream triggers; begins with what is pending. */
  attachChanges(source: ChangeSource): ChangeFeed;
}
export const QueuePort = token<QueuePort>('engine.QueuePort');

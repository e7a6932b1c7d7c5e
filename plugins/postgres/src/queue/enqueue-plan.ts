import { DEDUPE_MS, encodeKey, type EnqueueOutcome, type NewMessage, type StoreClock } from '@treadle/api';
import { bigints, integers, texts } from '../store/binary-arrays.js';
import type { Subscription, SubscriptionList } from './subscription-list.js';

/** In the order of their numbers in the tables. */
export const KINDS: readonly NewMessage['kind'][] = ['queue', 'state', 'stream', 'trigger'];

/** One batch of one call. */
export interface Batch {
  readonly messages: readonly NewMessage[];
  readonly maxWaiting: number;
}

/** A use of a key: who used it first, and until when it is known. */
export interface KeyUse {
  readonly message: string;
  readonly until: number;
}

/** A delivery to be written. */
export interface Row {
  readonly target: Subscription;
  readonly message: NewMessage;
  readonly dueAt: number | null;
}

/** Text of a use's place. */
export const useText = (scope: string, key: string): string => `${scope.length} ${scope} ${key}`;

/** Where a message's key counts: in its topic, or for its Step; as the table has it. */
export function useOf({ topic, to, dedupeKey = '' }: NewMessage): readonly [scope: string, key: string] {
  return [encodeKey(to === undefined ? `t ${topic}` : `s ${to}`), encodeKey(dedupeKey)];
}

/** Decides what becomes of batches, one after the other, by what is known of subscriptions, counts and keys. */
export class EnqueuePlan {
  readonly outcomes: EnqueueOutcome[] = [];
  readonly rows: Row[] = [];
  readonly uses = new Map<string, readonly [scope: string, key: string, message: string, until: number, at: number]>();
  /** Deliveries that the plan adds, by subscription. */
  readonly added = new Map<number, number>();
  /** A batch was refused by the count of this subscription. */
  refusedBy: Subscription | undefined;

  constructor(
    private readonly list: SubscriptionList, private readonly time: StoreClock, private readonly used: ReadonlyMap<string, KeyUse>,
    private readonly countOf: (sub: number) => number,
  ) {}

  add({ messages, maxWaiting }: Batch): void {
    const own = new Map<string, string>();
    const ids = messages.map((message) => this.firstId(message, own));
    const rows = messages.flatMap((message, index) => (ids[index] === message.id ? this.rowsOf(message) : []));
    const full = this.fullOf(rows, maxWaiting);
    if (full) {
      this.refusedBy = full;
      const { step, topic } = full.stored;
      this.outcomes.push({ ok: false, full: { step, topic } });
      return;
    }
    for (const row of rows) this.added.set(row.target.number, (this.added.get(row.target.number) ?? 0) + 1);
    for (const message of messages) if (own.get(useText(...useOf(message))) === message.id) this.use(message);
    this.rows.push(...rows);
    this.outcomes.push({ ok: true, ids });
  }

  /** Of the first message with the key. One that nobody gets uses up no key. */
  private firstId(message: NewMessage, own: Map<string, string>): string {
    if (message.dedupeKey === undefined || this.list.targetsOf(message)?.length === 0) return message.id;
    const text = useText(...useOf(message));
    const planned = this.uses.get(text);
    const before = planned ? { message: planned[2], until: planned[3] } : this.used.get(text);
    if (before && before.until > this.time.toStore(message.enqueuedAt)) return before.message;
    const first = own.get(text) ?? message.id;
    own.set(text, first);
    return first;
  }

  private use(message: NewMessage): void {
    if (message.dedupeKey === undefined) return;
    const [scope, key] = useOf(message);
    const at = this.time.toStore(message.enqueuedAt);
    this.uses.set(useText(scope, key), [scope, key, message.id, at + DEDUPE_MS, at]);
  }

  private rowsOf(message: NewMessage): Row[] {
    return (this.list.targetsOf(message) ?? []).map((target) => {
      const { delayMs } = target.stored;
      const due = delayMs > 0 ? Math.max(message.dueAt ?? 0, message.enqueuedAt + delayMs) : message.dueAt;
      return { target, message, dueAt: due === undefined ? null : this.time.toStore(due) };
    });
  }

  private fullOf(rows: readonly Row[], maxWaiting: number): Subscription | undefined {
    const more = new Map<Subscription, number>();
    for (const { target } of rows) more.set(target, (more.get(target) ?? 0) + 1);
    for (const [target, count] of more) {
      if (this.countOf(target.number) + (this.added.get(target.number) ?? 0) + count > maxWaiting) return target;
    }
    return undefined;
  }
}

/** The arrays of `queue_add`, but for the first two parameters. */
export function columnsOf(rows: readonly Row[], time: StoreClock): unknown[] {
  const fifo = [...new Set(rows.filter(({ target }) => target.stored.fifo).map(({ target }) => target.number))].sort((a, b) => a - b);
  return [
    integers(fifo), integers(rows.map(({ target }) => target.number)), texts(rows.map(({ message }) => message.id)), texts(rows.map(({ message }) => message.data)),
    texts(rows.map(({ message }) => message.headers ?? null)), texts(rows.map(({ message }) => message.traceparent)),
    bigints(rows.map(({ message }) => time.toStore(message.enqueuedAt))), integers(rows.map(({ message }) => message.hops)),
    integers(rows.map(({ message }) => KINDS.indexOf(message.kind))), bigints(rows.map(({ dueAt }) => dueAt)),
    texts(rows.map(({ target, message }) => (target.stored.fifo ? encodeKey(message.groupId ?? '') : null))),
    texts(rows.map(({ message }) => (message.groupId === undefined ? null : encodeKey(message.groupId)))),
  ];
}

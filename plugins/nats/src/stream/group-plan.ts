import type { Json, StateEntry, StreamDecision, StreamWrite, StreamWriteResult } from '@treadle/api';
import type { GroupMessage, KeptEvent } from './group-message.js';
import { entryOf, type GroupReplica } from './group-replica.js';

/** A message with so many bytes takes no more: the next event may be as large as one can be. */
const ENOUGH_BYTES = 24_000;
/** Of an event beside its text and names, about. */
const HEAD_BYTES = 100;

/** An event that is only told. */
export interface SentEvent {
  readonly id?: string | undefined;
  readonly type: string;
  readonly data: Json;
}

/** A write or an event, in the order of the calls. */
export type Job = { readonly write: StreamWrite; readonly send?: undefined } | { readonly write?: undefined; readonly send: SentEvent };

/** What becomes of a job; its decision may throw, which is nobody else's matter. */
export type Outcome = { readonly result: StreamWriteResult | undefined } | { readonly thrown: unknown };

interface PlannedItem {
  readonly text: string;
  readonly revision: number;
  readonly born: number;
}

/** The message that some jobs make of a group as it is known, and what each of them gives when it is stored. */
export class GroupPlan {
  readonly outcomes: Outcome[] = [];
  private readonly events: KeptEvent[] = [];
  private readonly planned = new Map<string, PlannedItem | undefined>();
  private bytes = 0;
  private floor: number;
  private items: number;
  private at: number;

  /** @param now the store's time */
  constructor(private readonly replica: GroupReplica, private readonly now: number) {
    this.floor = replica.floor;
    this.items = replica.items.size;
    this.at = replica.at;
  }

  /** Plans jobs from the first on, until the message has enough; `outcomes` has as many. */
  plan(jobs: readonly Job[]): void {
    for (const job of jobs) {
      if (this.bytes >= ENOUGH_BYTES) return;
      this.outcomes.push(job.send ? this.sent(job.send) : this.written(job.write));
    }
  }

  /** Undefined: there is nothing to store. */
  get message(): GroupMessage | undefined {
    if (this.events.length === 0) return undefined;
    return { first: this.replica.seq + 1, prev: this.replica.last, floor: this.floor, items: this.items, events: this.events };
  }

  private sent({ id, type, data }: SentEvent): Outcome {
    this.add({ id, kind: 'event', type, text: JSON.stringify(data), revision: 0, born: 0, origin: undefined });
    return { result: undefined };
  }

  private written({ id, next, change }: StreamWrite): Outcome {
    const item = this.planned.has(id) ? this.planned.get(id) : this.replica.items.get(id);
    try {
      const decision = next(entryOf(item));
      if (decision.action === 'keep' || (decision.action === 'delete' && !item)) return { result: { before: entryOf(item), after: entryOf(item) } };
      const kind = decision.action === 'delete' ? 'delete' : item ? 'update' : 'create';
      const origin = change?.(kind)?.origin;
      return { result: { before: entryOf(item), after: this.carryOut({ id, item, kind, origin }, decision) } };
    } catch (thrown) {
      return { thrown };
    }
  }

  private carryOut(
    { id, item, kind, origin }: { readonly id: string; readonly item: PlannedItem | undefined; readonly kind: 'create' | 'update' | 'delete'; readonly origin: string | undefined },
    decision: StreamDecision,
  ): StateEntry | undefined {
    const revision = (item?.revision ?? this.floor) + 1;
    const born = item?.born ?? this.replica.seq + this.events.length + 1;
    const text = decision.action === 'set' ? decision.text ?? JSON.stringify(decision.value) : item?.text ?? 'null';
    this.add({ id, kind, type: undefined, text, revision, born, origin });
    this.items += kind === 'create' ? 1 : kind === 'delete' ? -1 : 0;
    const after = kind === 'delete' ? undefined : { text, revision, born };
    if (!after) this.floor = Math.max(this.floor, revision);
    this.planned.set(id, after);
    return entryOf(after);
  }

  /** Times rise with each event of a group. */
  private add(event: Omit<KeptEvent, 'at'>): void {
    this.at = Math.max(this.now, this.at + 1);
    this.events.push({ ...event, at: this.at });
    this.bytes += HEAD_BYTES + Buffer.byteLength(event.text) + (event.id?.length ?? 0) + (event.origin?.length ?? 0);
  }
}

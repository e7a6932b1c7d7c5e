import { encodeKey, type Json, type StreamEvent, type StreamGroup, type StreamWrite, type StreamWriteResult } from '@treadle/api';
import { entryOf, eventOf, type KnownItem } from './stream-rows.js';

/** An event that is only told. */
export interface SentEvent {
  readonly id?: string | undefined;
  readonly type: string;
  readonly data: Json;
}

/** A write or an event, in the order of the calls. `key`: the same for writes of one item. */
export type Job = { readonly group: StreamGroup; readonly key: string } & (
  | { readonly write: StreamWrite; readonly send?: undefined }
  | { readonly write?: undefined; readonly send: SentEvent });

/** What became of a job; its decision may throw, which is nobody else's matter. */
export type Outcome = { readonly result: StreamWriteResult | undefined } | { readonly result?: undefined; readonly thrown: unknown };

/** A row of `WRITE`. */
export interface Planned {
  readonly job: Job;
  readonly action: 'set' | 'delete' | 'event';
  /** The value; that of an item that goes as it was. */
  readonly text: string;
  /** The item that it goes by. */
  readonly from: KnownItem;
  readonly origin: string | undefined;
}

/** What an event goes by. */
export const NOTHING: KnownItem = { text: undefined, revision: 0 };

/** What a job writes, going by the item as it is; undefined when that is nothing, or when its decision throws. */
export function planOf(job: Job, from: KnownItem, outcomes: Map<Job, Outcome>): Planned | undefined {
  if (job.send) return { job, action: 'event', text: JSON.stringify(job.send.data), from, origin: undefined };
  const { next, change } = job.write;
  try {
    const decision = next(entryOf(from));
    if (decision.action === 'set') {
      const origin = change?.(from.text === undefined ? 'create' : 'update')?.origin;
      return { job, action: 'set', text: decision.text ?? JSON.stringify(decision.value), from, origin };
    }
    if (decision.action === 'delete' && from.text !== undefined) return { job, action: 'delete', text: from.text, from, origin: change?.('delete')?.origin };
    outcomes.set(job, { result: { before: entryOf(from), after: entryOf(from) } });
  } catch (thrown) {
    outcomes.set(job, { thrown });
  }
  return undefined;
}

/** The item as a planned write leaves it, if it is carried out. */
export function afterOf({ action, text, from }: Planned): KnownItem {
  return { text: action === 'set' ? text : undefined, revision: from.revision + 1 };
}

/** What a planned write found and left. */
export function resultOf(plan: Planned): StreamWriteResult | undefined {
  return plan.job.write && { before: entryOf(plan.from), after: entryOf(afterOf(plan)) };
}

/** The arguments of `WRITE` for some rows. */
export function rowsOf(planned: readonly Planned[]): readonly (string | number)[] {
  const last = new Map<string, number>();
  return planned.flatMap(({ job, action, text, from, origin }, index) => {
    const after = job.write ? last.get(job.key) ?? 0 : 0;
    if (job.write) last.set(job.key, index + 1);
    const item = itemOf(job);
    return [
      encodeKey(job.group.stream), encodeKey(job.group.groupId), action, item === undefined ? '' : `i${item}`, after, from.revision, from.text === undefined ? 0 : 1,
      action === 'delete' ? '' : text, typeOf(job), origin === undefined ? '' : `o${origin}`,
    ];
  });
}

/** The event that a row has made. */
export function ownEvent({ job, text }: Planned, at: { readonly epoch: string; readonly seq: number; readonly at: number; readonly kind: string }): StreamEvent {
  return eventOf(job.group, at.epoch, { ...at, type: typeOf(job), item: itemOf(job), data: text });
}

function itemOf({ write, send }: Job): string | undefined {
  const id = write ? write.id : send.id;
  return id === undefined ? undefined : encodeKey(id);
}

function typeOf({ send }: Job): string {
  return send ? encodeKey(send.type) : '';
}

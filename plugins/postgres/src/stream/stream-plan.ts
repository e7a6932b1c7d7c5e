import { encodeKey, type Json, type StreamGroup, type StreamWrite, type StreamWriteResult } from '@treadle/api';
import { entryOf, type KnownItem } from './stream-rows.js';

/** An event that is only told. */
export interface SentEvent {
  readonly id?: string | undefined;
  readonly type: string;
  readonly data: Json;
}

/** A write or an event, in the order of the calls. */
export type Job = { readonly group: StreamGroup; readonly key: string } & (
  | { readonly write: StreamWrite; readonly send?: undefined }
  | { readonly write?: undefined; readonly send: SentEvent });

/** What became of a job; its decision may throw, which is nobody else's matter. */
export type Outcome = { readonly result: StreamWriteResult | undefined } | { readonly result?: undefined; readonly thrown: unknown };

/** A row of `stream_write`. */
export interface Planned {
  readonly job: Job;
  readonly action: 0 | 1 | 2;
  readonly text: string | null;
  readonly from: KnownItem | undefined;
  readonly origin: string | undefined;
}

/** What a job writes, going by the item as it is; undefined when that is nothing, or when its decision throws. */
export function planOf(job: Job, from: KnownItem | undefined, outcomes: Map<Job, Outcome>): Planned | undefined {
  if (job.send) return { job, action: 2, text: JSON.stringify(job.send.data), from: undefined, origin: undefined };
  const item = from ?? { text: null, revision: 0 };
  try {
    const decision = job.write.next(entryOf(item));
    if (decision.action === 'set') {
      const origin = job.write.change?.(item.text === null ? 'create' : 'update')?.origin;
      return { job, action: 0, text: decision.text ?? JSON.stringify(decision.value), from: item, origin };
    }
    if (decision.action === 'delete' && item.text !== null) return { job, action: 1, text: null, from: item, origin: job.write.change?.('delete')?.origin };
    outcomes.set(job, { result: { before: entryOf(item), after: entryOf(item) } });
  } catch (thrown) {
    outcomes.set(job, { thrown });
  }
  return undefined;
}

/** The item as a planned write leaves it, if it is carried out. */
export function afterOf({ action, text, from }: Planned): KnownItem {
  return { text: action === 0 ? text : null, revision: (from?.revision ?? 0) + 1 };
}

/** The arrays of `stream_write`. Rows of a group lie together. */
export function columnsOf(planned: readonly Planned[]): unknown[] {
  const last = new Map<string, number>();
  const before = planned.map(({ job: { key, write } }, index) => {
    const found = write ? last.get(key) ?? 0 : 0;
    if (write) last.set(key, index + 1);
    return found;
  });
  const idOf = ({ write, send }: Job): string | undefined => (write ? write.id : send.id);
  return [
    planned.map(({ job }) => encodeKey(job.group.stream)), planned.map(({ job }) => encodeKey(job.group.groupId)),
    planned.map(({ job }) => { const id = idOf(job); return id === undefined ? null : encodeKey(id); }), planned.map(({ action }) => action), before,
    planned.map(({ from }) => from?.revision ?? null), planned.map(({ from }) => (from ? from.text !== null : null)), planned.map(({ text }) => text),
    planned.map(({ job }) => (job.send ? encodeKey(job.send.type) : null)), planned.map(({ origin }) => origin ?? null),
  ];
}

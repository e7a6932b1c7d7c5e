import { encodeKey, type StateCommitWrite, type StoreClock, type StoreWrite, type StreamCommitWrite, type StreamEvent } from '@treadle/api';
import type { Arg } from '../store/connection.js';
import { eventOf } from '../stream/stream-rows.js';

/** Values of an item that was written, in the reply of a commit. */
const EVENT_VALUES = 5;

export const isOfState = (write: StoreWrite): write is StateCommitWrite => write.slot === 'state';
export const isOfStream = (write: StoreWrite): write is StreamCommitWrite => write.slot === 'stream';

/** A write as `COMMIT` has it. */
export function argsOf(write: StoreWrite, time: StoreClock): readonly Arg[] {
  const { decision, ifRevision = '', change } = write;
  const text = decision.action === 'set' ? decision.text ?? JSON.stringify(decision.value) : '';
  if (isOfStream(write)) {
    const { group: { stream, groupId }, id } = write;
    return ['t', encodeKey(stream), encodeKey(groupId), encodeKey(id), ifRevision, decision.action, text, '', 0, change ? `o${change.origin}` : ''];
  }
  const { group, key, decision: made } = write;
  const due = made.action === 'set' && made.expiresAt !== undefined ? time.toStore(made.expiresAt) : '';
  const keeps = made.action === 'set' && made.keepExpiry === true ? 1 : 0;
  return ['s', encodeKey(group), encodeKey(key), '', ifRevision, decision.action, text, due, keeps, change ? `o${change.origin}` : 'n'];
}

/** What watchers are to be told of a commit. */
export function eventsOf(writes: readonly StoreWrite[], epoch: string, values: readonly string[]): readonly StreamEvent[] {
  const events: StreamEvent[] = [];
  for (let at = 0; at < values.length; at += EVENT_VALUES) {
    const [index, seq, moment, kind = '', data = ''] = values.slice(at, at + EVENT_VALUES);
    const write = writes[Number(index)];
    if (write && isOfStream(write)) events.push(eventOf(write.group, epoch, { seq: Number(seq), at: Number(moment), kind, type: '', item: encodeKey(write.id), data }));
  }
  return events;
}

import type { Json, StateEntry, StreamGroup } from '@treadle/api';
import { encode, type Span, spanOf } from './key-encoding.js';

/** First letters of the rows of the stream adapter; the state adapter on the same file has others. */
export const STREAM_AREA = { item: 'ti', change: 'tc', group: 'tg', meta: 'tm', floor: 'tf' } as const;

/** What is stored for an item. */
export interface ItemRow {
  /** Revision. */
  readonly r: number;
  readonly v: Json;
  /** Orders the items of a group by their creation. */
  readonly o: number;
}

/** What is stored for a group. */
export interface GroupRow {
  /** Position of its last event, as of the last clean stop. */
  readonly q: number;
  /** No deleted item of the group had a higher revision. */
  readonly f: number;
  /** When its last event was; milliseconds since the epoch. Absent in rows of former versions. */
  readonly u?: number;
}

/** What is stored for all streams. */
export interface MetaRow {
  readonly epoch: string;
  /** False from the start of a run to its clean end: positions of one that did not end so are not known. */
  readonly clean: boolean;
}

/** Rows of the items of a stream begin with this. */
export function itemArea(stream: string): string {
  return `${STREAM_AREA.item}${encode(stream)}.`;
}

/** Row key of an item. */
export function itemKey({ stream, groupId }: StreamGroup, id: string): string {
  return `${itemArea(stream)}${encode(groupId)}.${encode(id)}`;
}

/** Row key of a group. */
export function groupKey({ stream, groupId }: StreamGroup): string {
  return `${STREAM_AREA.group}${encode(stream)}.${encode(groupId)}`;
}

/** What is stored for a group that is there. */
export function groupRow({ seq, floor, usedAt }: { readonly seq: number; readonly floor: number; readonly usedAt: number }): GroupRow {
  return { q: seq, f: floor, u: usedAt };
}

/** Rows of the items of the group that has this row key. */
export function itemsOfGroup(key: string): Span {
  return spanOf(`${STREAM_AREA.item}${key.slice(STREAM_AREA.group.length)}.`);
}

/** Rows of a group's items. */
export function itemsOf({ stream, groupId }: StreamGroup): Span {
  return spanOf(`${itemArea(stream)}${encode(groupId)}.`);
}

/** The entry of a row. */
export function itemEntry(row: ItemRow | undefined): StateEntry | undefined {
  return row && { value: row.v, revision: row.r };
}

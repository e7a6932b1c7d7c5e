import {
  decodeKey, encodeKey, type Json, type PendingStreamChange, type StateGroupPage, type StateListOptions, type StreamEvent, type StreamGroup,
  type StreamItem, type StreamPosition,
} from '@treadle/api';
import { decodeCursor, distinctNames, encodeCursor, PAST } from '../store/pages.js';
import type { PgStore } from '../store/pg-store.js';
import type { FollowedGroup, GroupPlace } from './followed-group.js';
import { eventOf, type EventRow } from './stream-rows.js';

const SNAPSHOT = `SELECT g.seq, t.item, t.revision, t.value FROM stream_groups g LEFT JOIN stream_items t ON t.stream = g.stream AND t.grp = g.grp
  WHERE g.stream = $1 AND g.grp = $2 ORDER BY t.ord`;
const GROUPS = distinctNames('stream_items', 'grp', 'stream = $5');
const EVENTS = `SELECT g.seq AS last, e.* FROM stream_groups g LEFT JOIN LATERAL (
    SELECT v.seq, v.at, v.kind, v.type, v.item, v.data FROM stream_events v WHERE v.number = g.number AND v.seq > $3 ORDER BY v.seq LIMIT $4) e ON true
  WHERE g.stream = $1 AND g.grp = $2 ORDER BY e.seq`;
const PLACE = `INSERT INTO stream_groups (stream, grp) VALUES ($1, $2) ON CONFLICT (stream, grp) DO UPDATE SET seq = stream_groups.seq RETURNING number, seq`;
const LOOK = `SELECT e.epoch, g.number, g.seq FROM (SELECT stream_epoch() AS epoch) e LEFT JOIN stream_groups g ON g.number = ANY ($1::bigint[])`;
const NEXT_EPOCH = `UPDATE stream_store SET epoch = md5(random()::text || clock_timestamp()::text || pg_backend_pid()::text) WHERE epoch = split_part($1, '.', 1)`;
const FORGET = 'DELETE FROM stream_events WHERE ctid = ANY (ARRAY(SELECT ctid FROM stream_events WHERE at < $1 LIMIT $2)) RETURNING 1';
const CHANGES = 'SELECT * FROM stream_changes WHERE id > coalesce((SELECT id FROM stream_changes WHERE id = $2), 0) ORDER BY id LIMIT $1';
const ID = /^[1-9]\d{0,14}$/;
const PORTION = 5_000;

interface ChangeRow extends Record<string, unknown> {
  readonly id: number; readonly stream: string; readonly grp: string; readonly item: string; readonly kind: PendingStreamChange['type']; readonly data: string;
  readonly origin: string;
}

/** Reads what is committed. */
export class StreamReader {
  /** @param epoch what `seq` belongs to, as the last look has found it */
  private constructor(private readonly store: PgStore, public epoch: string) {}

  static async open(store: PgStore): Promise<StreamReader> {
    const reader = new StreamReader(store, '');
    await reader.look([]);
    return reader;
  }

  async snapshot(group: StreamGroup): Promise<{ readonly items: readonly StreamItem[]; readonly position: StreamPosition }> {
    const { epoch } = this;
    const rows = await this.store.connections.rows<{ seq: number; item: string | null; revision: number; value: string }>(SNAPSHOT, columnsOf(group), 'stream.snapshot');
    const items = rows.flatMap(({ item, revision, value }) => (item === null ? [] : [{ id: decodeKey(item), value: JSON.parse(value) as Json, revision }]));
    return { items, position: { epoch, seq: rows[0]?.seq ?? 0 } };
  }

  /** @throws an `OperationError` `StreamInvalidArgument` for a cursor that no page gave */
  async listGroups(stream: string, { prefix = '', limit, cursor }: StateListOptions & { readonly limit: number }): Promise<StateGroupPage> {
    const after = cursor === undefined ? null : decodeCursor(cursor, 'StreamInvalidArgument');
    const from = encodeKey(prefix);
    const rows = await this.store.connections.rows<{ name: string }>(GROUPS, [after, from, from + PAST, limit + 1, encodeKey(stream)], 'stream.groups');
    const items = rows.slice(0, limit).map(({ name }) => decodeKey(name));
    return rows.length > limit ? { items, cursor: encodeCursor(rows[limit - 1]?.name ?? '') } : { items };
  }

  /** Number and place of a group, which may be new. */
  async place(group: StreamGroup): Promise<GroupPlace> {
    const { epoch } = this;
    const [row] = await this.store.connections.rows<{ number: number; seq: number }>(PLACE, columnsOf(group), 'stream.place');
    return { epoch, number: row?.number ?? 0, seq: row?.seq ?? 0 };
  }

  /** Undefined when some of them are not known any more, and for a position of another epoch or one that the group has not come to. */
  async eventsAfter(group: StreamGroup, { epoch, seq }: StreamPosition, limit: number): Promise<readonly StreamEvent[] | undefined> {
    if (epoch !== this.epoch) return undefined;
    const rows = await this.rowsAfter(group, seq, limit);
    const last = rows[0]?.last ?? 0;
    const events = rows.filter(isEvent);
    if (events.length === 0) return last === seq ? [] : undefined;
    return events[0]?.seq === seq + 1 ? events.map((row) => eventOf(namesOf(group), epoch, row)) : undefined;
  }

  /** As many of the events after a place as are known. */
  async eventsOf(group: StreamGroup, after: number, limit: number): Promise<readonly StreamEvent[]> {
    const { epoch } = this;
    return (await this.rowsAfter(group, after, limit)).filter(isEvent).map((row) => eventOf(namesOf(group), epoch, row));
  }

  /**
   * Those that others have written to since they were last told of. When the store has not come to where one was told, it has lost events: a new epoch
   * begins for all engines, which the next look finds.
   */
  async look(groups: readonly FollowedGroup[]): Promise<readonly FollowedGroup[]> {
    // Before the answer: what is told meanwhile may be newer than it.
    const told = new Map(groups.map((group) => [group, group.place]));
    const rows = await this.store.connections.rows<{ epoch: string; number: number | null; seq: number }>(LOOK, [groups.map(({ number }) => number)], 'stream.look');
    const { epoch } = this;
    this.epoch = rows[0]?.epoch ?? '';
    const places = new Map(rows.map(({ number, seq }) => [number, seq]));
    const distance = (group: FollowedGroup): number => (places.get(group.number) ?? 0) - (told.get(group) ?? 0);
    if (this.epoch === epoch && groups.some((group) => group.epoch === epoch && distance(group) < 0)) {
      await this.store.connections.rows(NEXT_EPOCH, [epoch]);
      return [];
    }
    return groups.filter((group) => distance(group) > 0);
  }

  async forgetEvents(before: number): Promise<void> {
    while ((await this.store.connections.rows(FORGET, [before, PORTION])).length === PORTION);
  }

  async pendingChanges(limit: number, after?: string): Promise<readonly PendingStreamChange[]> {
    const rows = await this.store.connections.rows<ChangeRow>(CHANGES, [limit, after !== undefined && ID.test(after) ? after : 0], 'stream.changes');
    return rows.map(changeOf);
  }

  async settleChanges(ids: readonly string[]): Promise<void> {
    await this.store.connections.rows('DELETE FROM stream_changes WHERE id = ANY ($1::bigint[])', [ids.filter((id) => ID.test(id))], 'stream.settle');
  }

  private rowsAfter(group: StreamGroup, after: number, limit: number): Promise<(EventRow & { readonly last: number })[]> {
    return this.store.connections.rows(EVENTS, [...columnsOf(group), after, limit], 'stream.events');
  }
}

function columnsOf({ stream, groupId }: StreamGroup): [string, string] {
  return [encodeKey(stream), encodeKey(groupId)];
}

const namesOf = ({ stream, groupId }: StreamGroup): StreamGroup => ({ stream, groupId });
const isEvent = ({ seq }: EventRow): boolean => (seq as number | null) !== null;

function changeOf({ id, stream, grp, item, kind, data, origin }: ChangeRow): PendingStreamChange {
  return {
    id: String(id), stream: decodeKey(stream), groupId: decodeKey(grp), itemId: decodeKey(item), type: kind, text: data, bytes: data.length, origin,
    get data(): Json {
      return JSON.parse(data) as Json;
    },
  };
}

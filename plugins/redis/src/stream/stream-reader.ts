import {
  decodeKey, encodeKey, type Json, type PendingStreamChange, type StateGroupPage, type StateListOptions, type StreamEvent, type StreamGroup,
  type StreamItem, type StreamPosition,
} from '@treadle/api';
import type { ChangeFeed, WaitingChange } from '../store/change-feed.js';
import type { Arg } from '../store/connection.js';
import { encodeCursor, nameRange, PAGE_BYTES } from '../store/pages.js';
import type { RedisStore } from '../store/redis-store.js';
import type { Script } from '../store/script.js';
import type { EventsBehind } from './followed-group.js';
import { entryOf, eventOf, groupName, knownItem } from './stream-rows.js';
import { EVENTS, GROUPS, PLACES, SNAPSHOT } from './stream-scripts.js';

/** Items of a snapshot, and groups, that one script call looks at. */
const PORTION = 500;
/** Times that a large group is read portion by portion, before it is read as a whole. */
const TRIES = 3;

interface Snapshot {
  readonly items: readonly StreamItem[];
  readonly position: StreamPosition;
}

/** An event as XRANGE gives it: its id, then names and values. */
type StoredEvent = readonly [string, readonly string[]];

/** Reads what is stored. */
export class StreamReader {
  constructor(private readonly store: RedisStore, private readonly changes: ChangeFeed) {}

  async snapshot(group: StreamGroup): Promise<Snapshot> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const found = await this.snapshotBy(group, PORTION, PAGE_BYTES);
      if (found) return found;
    }
    return await this.snapshotBy(group, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER) as Snapshot;
  }

  /** @throws an `OperationError` `StreamInvalidArgument` for a cursor that no page gave */
  async listGroups(stream: string, { limit, ...options }: StateListOptions & { readonly limit: number }): Promise<StateGroupPage> {
    const { from, to } = nameRange(options, 'StreamInvalidArgument');
    const found = await this.run(GROUPS, [encodeKey(stream), from, to, limit + 1]) as readonly string[];
    const names = found.slice(0, limit);
    const items = names.map(decodeKey);
    return found.length > limit ? { items, cursor: encodeCursor(names.at(-1) ?? '') } : { items };
  }

  /** How far groups have come. */
  async places(groups: readonly StreamGroup[]): Promise<readonly StreamPosition[]> {
    const places: StreamPosition[] = [];
    while (places.length < groups.length) {
      const some = groups.slice(places.length, places.length + PORTION).map(groupName);
      const [epoch = '', ...seqs] = await this.run(PLACES, [this.store.serverRun, ...some]) as readonly [string, ...number[]];
      places.push(...seqs.map((seq) => ({ epoch, seq })));
    }
    return places;
  }

  /** Undefined when some of them are not known any more, and for a position of another epoch or one that the group has not come to. */
  async eventsAfter(group: StreamGroup, { epoch, seq }: StreamPosition, limit: number): Promise<readonly StreamEvent[] | undefined> {
    const events: StreamEvent[] = [];
    for (let last = seq; events.length < limit; last = events.at(-1)?.seq ?? last) {
      const behind = await this.eventsBehind(group, last, limit - events.length);
      if (behind.epoch !== epoch || behind.seq < last) return undefined;
      if (behind.seq === last) return events;
      if (behind.events[0]?.seq !== last + 1) return undefined;
      events.push(...behind.events);
    }
    return events;
  }

  /** As many of the events after a place as are known, and fit. */
  async eventsBehind(group: StreamGroup, after: number, limit: number): Promise<EventsBehind> {
    const found = await this.run(EVENTS, [this.store.serverRun, groupName(group), after, limit]) as readonly [string, number, ...StoredEvent[]];
    const [epoch, seq, ...stored] = found;
    const names = { stream: group.stream, groupId: group.groupId };
    return { epoch, seq, events: stored.map((event) => eventOf(names, epoch, rowOf(event))) };
  }

  async pendingChanges(limit: number, after?: string): Promise<readonly PendingStreamChange[]> {
    return (await this.changes.pending(limit, after)).map(changeOf);
  }

  /** Undefined when something was written between two portions. */
  private async snapshotBy(group: StreamGroup, portion: number, bytes: number): Promise<Snapshot | undefined> {
    const items: StreamItem[] = [];
    for (let position: StreamPosition | undefined; ;) {
      const found = await this.run(SNAPSHOT, [this.store.serverRun, groupName(group), items.length, portion, bytes]) as readonly [string, number, number, ...string[]];
      const [epoch, seq, more, ...pairs] = found;
      if (position && (position.seq !== seq || position.epoch !== epoch)) return undefined;
      position = { epoch, seq };
      for (let at = 0; at < pairs.length; at += 2) {
        const entry = entryOf(knownItem(pairs[at + 1] ?? ''));
        if (entry) items.push({ id: decodeKey(pairs[at] ?? ''), ...entry });
      }
      if (more === 0) return { items, position };
    }
  }

  private run(script: Script, args: readonly Arg[]): Promise<unknown> {
    return this.store.run(script, [this.store.key('t:v')], args);
  }
}

function rowOf([id, fields]: StoredEvent): Parameters<typeof eventOf>[2] {
  const [, at, , kind = '', , type = '', , item = '', , data = 'null'] = fields;
  return { seq: Number(id.split('-')[0]), at: Number(at), kind, type, item: item === '' ? undefined : item.slice(1), data };
}

function changeOf({ id, fields }: WaitingChange): PendingStreamChange {
  const [stream = '', groupId = '', itemId = ''] = ['stream', 'group', 'item'].map((name) => decodeKey(fields.get(name) ?? ''));
  const text = fields.get('data') ?? 'null';
  return {
    id, stream, groupId, itemId, type: fields.get('kind') as PendingStreamChange['type'], text, bytes: text.length, origin: fields.get('origin') ?? '',
    get data(): Json {
      return JSON.parse(text) as Json;
    },
  };
}

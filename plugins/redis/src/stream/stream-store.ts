import {
  Batcher, type EpochListener, type Logger, type StateEntry, type StreamEvent, type StreamGroup, type StreamWrite, type StreamWriteResult, TaskLane, type Unsubscribe,
} from '@treadle/api';
import { ChangeFeed, FEED_SCRIPTS } from '../store/change-feed.js';
import type { RedisStore } from '../store/redis-store.js';
import { FollowedGroups } from './followed-groups.js';
import type { SentEvent } from './stream-plan.js';
import { StreamReader } from './stream-reader.js';
import { groupName } from './stream-rows.js';
import { STREAM_SCRIPTS } from './stream-scripts.js';
import { type ItemPlace, StreamWriter } from './stream-writer.js';

/** Items that are read together. */
const MOST_READS = 500;

const OPENED = new WeakMap<RedisStore, StreamStore>();

/** The streams of one prefix as one engine sees them. */
export class StreamStore {
  readonly changes: ChangeFeed;
  readonly reader: StreamReader;
  private readonly followed: FollowedGroups;
  private readonly writer: StreamWriter;
  private readonly reads: Batcher<ItemPlace, StateEntry | undefined>;
  private readonly unlisten: readonly Unsubscribe[];

  private constructor(private readonly store: RedisStore, log: Logger) {
    // Names of groups have a NUL, which this word has not.
    this.changes = new ChangeFeed(store, { channel: 'stream', word: 'changed', key: 't:changes' });
    this.reader = new StreamReader(store, this.changes);
    this.followed = new FollowedGroups(this.reader, log);
    this.writer = new StreamWriter(store, (events, changes) => this.happened(events, changes));
    this.reads = new Batcher(new TaskLane(), MOST_READS, (places) => this.writer.read(places));
    this.unlisten = [store.on('stream', (name) => this.followed.others(name)), store.listen({ beat: () => this.followed.look() })];
  }

  /** @throws an `OperationError` when the server is away */
  static async open(store: RedisStore, log: Logger): Promise<StreamStore> {
    await store.register([...FEED_SCRIPTS, ...STREAM_SCRIPTS]);
    const streams = new StreamStore(store, log);
    OPENED.set(store, streams);
    return streams;
  }

  /** That of an adapter of this engine, if there is one. */
  static opened(store: RedisStore): StreamStore | undefined {
    return OPENED.get(store);
  }

  /** Own writes, one batch after the other. */
  get lane(): TaskLane {
    return this.writer.lane;
  }

  async get(group: StreamGroup, id: string): Promise<StateEntry | undefined> {
    return (await this.reads.add([{ name: groupName(group), id }]))[0];
  }

  write(write: StreamWrite): Promise<StreamWriteResult> {
    return this.writer.write(write);
  }

  send(group: StreamGroup, event: SentEvent): Promise<void> {
    return this.writer.send({ stream: group.stream, groupId: group.groupId }, event);
  }

  watch(listener: (event: StreamEvent) => void): Unsubscribe {
    return this.followed.watch(listener);
  }

  follow(group: StreamGroup, anew?: EpochListener): Promise<Unsubscribe> {
    return this.writer.lane.run(() => this.followed.follow(group, anew));
  }

  close(): void {
    if (OPENED.get(this.store) === this) OPENED.delete(this.store);
    for (const end of this.unlisten) end();
    this.changes.close();
    this.followed.close();
  }

  /** Own writes have made these events, in the lane. Resolves when watchers were told. */
  async happened(events: readonly StreamEvent[], changes: boolean): Promise<void> {
    if (changes) this.changes.stored();
    this.store.notify('stream', new Set(events.map(groupName)));
    await this.followed.own(events);
  }
}

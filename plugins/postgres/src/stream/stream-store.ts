import {
  Batcher, type EpochListener, type Logger, type PendingStreamChange, type StateEntry, type StateGroupPage, type StateListOptions, type StreamEvent, type StreamGroup,
  type StreamItem, type StreamPosition, type StreamWrite, type StreamWriteResult, TaskLane, type Unsubscribe,
} from '@treadle/api';
import { ChangeFeed } from '../store/change-feed.js';
import type { Notice } from '../store/session.js';
import type { PgStore } from '../store/pg-store.js';
import { FollowedGroup } from './followed-group.js';
import type { SentEvent } from './stream-plan.js';
import { StreamReader } from './stream-reader.js';
import { groupText } from './stream-rows.js';
import { type ItemPlace, type OwnEvent, StreamWriter } from './stream-writer.js';

/** How long events are kept. */
const KEPT_MS = 5 * 60_000;
const SWEEP_BEATS = 30;

const OPENED = new WeakMap<PgStore, StreamStore>();

/** The streams of one schema as one engine sees them. */
export class StreamStore {
  readonly changes: ChangeFeed;
  readonly writer: StreamWriter;
  private readonly reads: Batcher<ItemPlace, StateEntry | undefined>;
  private readonly followed = new Map<string, FollowedGroup>();
  private readonly watchers = new Set<(event: StreamEvent) => void>();
  private readonly unlisten: Unsubscribe;
  private beats = 0;

  private constructor(private readonly store: PgStore, readonly reader: StreamReader, private readonly log: Logger) {
    this.changes = new ChangeFeed(store, { task: 'stream changes', kind: 'x', table: 'stream_changes' });
    this.writer = new StreamWriter(store, () => reader.epoch, (events, changes) => this.happened(events, changes));
    this.reads = new Batcher(new TaskLane(), 1_000, (places) => this.writer.read(places));
    this.unlisten = store.listen({ notice: (notice) => this.notice(notice), beat: () => this.beat() });
    OPENED.set(store, this);
  }

  /** Of a store that an adapter of this engine has open. */
  static opened(store: PgStore): StreamStore | undefined {
    return OPENED.get(store);
  }

  static async open(store: PgStore, log: Logger): Promise<StreamStore> {
    return new StreamStore(store, await StreamReader.open(store), log);
  }

  async get(group: StreamGroup, id: string): Promise<StateEntry | undefined> {
    return (await this.reads.add([{ stream: group.stream, groupId: group.groupId, id }]))[0];
  }

  write(write: StreamWrite): Promise<StreamWriteResult> {
    return this.writer.write(write);
  }

  send(group: StreamGroup, event: SentEvent): Promise<void> {
    return this.writer.send({ stream: group.stream, groupId: group.groupId }, event);
  }

  snapshot(group: StreamGroup): Promise<{ readonly items: readonly StreamItem[]; readonly position: StreamPosition }> {
    return this.reader.snapshot(group);
  }

  listGroups(stream: string, options: StateListOptions & { readonly limit: number }): Promise<StateGroupPage> {
    return this.reader.listGroups(stream, options);
  }

  pendingChanges(limit: number, after?: string): Promise<readonly PendingStreamChange[]> {
    return this.reader.pendingChanges(limit, after);
  }

  watch(listener: (event: StreamEvent) => void): Unsubscribe {
    const watcher = (event: StreamEvent): void => listener(event);
    this.watchers.add(watcher);
    return () => void this.watchers.delete(watcher);
  }

  /** Among the own writes, so that none of them is under way and told twice or not at all. */
  follow({ stream, groupId }: StreamGroup, anew: EpochListener = () => undefined): Promise<Unsubscribe> {
    const group = { stream, groupId };
    return this.writer.lane.run(async () => {
      const text = groupText(group);
      const known = this.followed.get(text) ?? await this.begin(group);
      this.followed.set(text, known);
      const use: EpochListener = (epoch) => anew(epoch);
      known.uses.add(use);
      return () => {
        known.uses.delete(use);
        if (known.uses.size === 0 && this.followed.get(text) === known) this.followed.delete(text);
      };
    });
  }

  close(): void {
    this.unlisten();
    if (OPENED.get(this.store) === this) OPENED.delete(this.store);
    this.changes.close();
    this.watchers.clear();
    this.followed.clear();
  }

  private async begin(group: StreamGroup): Promise<FollowedGroup> {
    const from = await this.reader.place(group);
    return new FollowedGroup(group, from, (of, after, limit) => this.reader.eventsOf(of.of, after, limit), (event) => this.tell(event));
  }

  /** Those of one group are in their order; those of groups that are not followed are told as they are. */
  private async happened(events: readonly OwnEvent[], changes: boolean): Promise<void> {
    if (changes) this.changes.stored();
    this.store.notifier.tell('e', new Set(events.map(({ number }) => String(number))));
    const followed = new Map<FollowedGroup, StreamEvent[]>();
    for (const { event } of events) {
      const group = this.followed.get(groupText(event));
      if (!group) this.tell(event);
      else if (followed.has(group)) followed.get(group)?.push(event);
      else followed.set(group, [event]);
    }
    await Promise.all([...followed].map(([group, own]) => group.own(own)));
  }

  private tell(event: StreamEvent): void {
    for (const watcher of this.watchers) {
      try {
        watcher(event);
      } catch (error) {
        this.log.error('a watcher of streams failed', { error: String(error) });
      }
    }
  }

  private notice({ kind, text }: Notice): void {
    if (kind !== 'e' || this.followed.size === 0) return;
    const numbers = new Set(text.split(',').map(Number));
    for (const group of this.followed.values()) if (numbers.has(group.number)) this.catchUp(group);
  }

  private catchUp(group: FollowedGroup): void {
    void group.others().catch(() => undefined);
  }

  /** Finds what no notification told, and removes events that are too old. */
  private async beat(): Promise<void> {
    const groups = [...this.followed.values()];
    const behind = await this.reader.look(groups);
    await Promise.all(groups.filter(({ epoch }) => epoch !== this.reader.epoch).map((group) => group.restart(() => this.reader.place(group.of))));
    for (const group of behind) this.catchUp(group);
    this.beats += 1;
    if (this.beats % SWEEP_BEATS === 0) await this.reader.forgetEvents(this.store.time.now() - KEPT_MS);
  }
}

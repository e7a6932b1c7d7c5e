import type { Logger, StateEntry, StateGroupPage, StreamEvent, StreamGroup, StreamItem, StreamPosition, StreamWrite, StreamWriteResult, Unsubscribe } from '@treadle/api';
import { ChangeLog } from '../store/change-log.js';
import { inPortions } from '../store/in-portions.js';
import type { JetLog } from '../store/jet-log.js';
import type { NatsStore } from '../store/nats-store.js';
import { namesOfPage, type PageOptions, takePage } from '../store/pages.js';
import { decodeMessage } from './group-message.js';
import type { SentEvent } from './group-plan.js';
import { entryOf } from './group-replica.js';
import { Groups } from './groups.js';
import { changesOf, type StreamChange } from './stream-changes.js';
import { StreamPlaces } from './stream-places.js';

/** Kind of the notice of a new message of a group. */
const EVENTS = 'events';
/** Beats between two looks at all groups that are followed, and between two rounds of removing. */
const LOOK_BEATS = 10;
const TIDY_BEATS = 20;
const AT_ONCE = 20;

/** The streams of one store as one engine sees them. */
export class StreamStore {
  readonly changes: ChangeLog<StreamChange>;
  private readonly groups: Groups;
  private readonly places: StreamPlaces;
  private readonly watchers = new Set<(event: StreamEvent) => void>();
  private readonly unlisten: Unsubscribe;
  private beats = 0;

  private constructor(store: NatsStore, private readonly log: JetLog, records: JetLog, private readonly logger: Logger) {
    this.places = new StreamPlaces(store.prefix);
    this.changes = new ChangeLog(store, records, log, {
      kind: 'streams', filter: this.places.all, changesOf: async (message) => Promise.resolve(changesOf(message, this.places)),
    });
    this.groups = new Groups(this.places, {
      log, epoch: log.created, now: () => store.time.now(), tell: (event) => this.tell(event),
      stored: (subject, seq, changes) => {
        store.tell(EVENTS, `${seq} ${subject}`);
        if (changes > 0) this.changes.stored();
      },
    });
    this.unlisten = store.listen({ notice: (kind, text) => this.heard(kind, text), beat: (anew) => this.beat(anew) });
  }

  /** @throws {SERVICE_UNAVAILABLE} */
  static async open(store: NatsStore, logger: Logger): Promise<StreamStore> {
    const [log, records] = await Promise.all([store.log('streams', 'e'), store.records()]);
    return new StreamStore(store, log, records, logger);
  }

  async get(group: StreamGroup, id: string): Promise<StateEntry | undefined> {
    return entryOf((await this.groups.of(group).fresh()).items.get(id));
  }

  async write(write: StreamWrite): Promise<StreamWriteResult> {
    return await this.groups.of(write).run({ write }) ?? { before: undefined, after: undefined };
  }

  async send(group: StreamGroup, send: SentEvent): Promise<void> {
    await this.groups.of(group).run({ send });
  }

  async snapshot(group: StreamGroup): Promise<{ readonly items: readonly StreamItem[]; readonly position: StreamPosition }> {
    const replica = await this.groups.of(group).fresh();
    return { items: replica.listed(), position: { epoch: this.log.created, seq: replica.seq } };
  }

  /** @throws an `OperationError` `StreamInvalidArgument` for a cursor that no page gave */
  async listGroups(stream: string, options: PageOptions): Promise<StateGroupPage> {
    const subjects = await this.log.subjects(this.places.streamOf(stream));
    const names = namesOfPage(subjects.map((subject) => this.places.namesOf(subject).groupId), options, 'StreamInvalidArgument');
    const { items, ...rest } = await takePage(names, options.limit, async (groupId) => {
      const last = await this.log.last(this.places.groupOf({ stream, groupId }));
      return last && decodeMessage(last.text).items > 0 ? true : undefined;
    });
    return { items: items.map(({ name }) => name), ...rest };
  }

  follow(group: StreamGroup): Promise<Unsubscribe> {
    return this.groups.of(group).follow();
  }

  eventsAfter(group: StreamGroup, position: StreamPosition, limit: number): Promise<readonly StreamEvent[] | undefined> {
    return this.groups.of(group).eventsAfter(position, limit);
  }

  watch(listener: (event: StreamEvent) => void): Unsubscribe {
    const own = (event: StreamEvent): void => listener(event);
    this.watchers.add(own);
    return () => void this.watchers.delete(own);
  }

  async close(): Promise<void> {
    this.unlisten();
    await this.changes.close();
  }

  private tell(event: StreamEvent): void {
    for (const watcher of this.watchers) {
      try {
        watcher(event);
      } catch (error) {
        this.logger.error('a watcher of stream events failed', { error });
      }
    }
  }

  private heard(kind: string, text: string): void {
    if (kind !== EVENTS) return;
    const at = text.indexOf(' ');
    const group = this.groups.followed(text.slice(at + 1));
    if (group && group.last < Number(text.slice(0, at))) void group.fresh().catch(() => undefined);
  }

  private async beat(anew: boolean): Promise<void> {
    this.beats += 1;
    if (anew || this.beats % LOOK_BEATS === 0) await inPortions(this.groups.allFollowed(), AT_ONCE, (group) => group.fresh());
    if (this.beats % TIDY_BEATS !== 0) return;
    await this.groups.tidy(this.changes.mark.known);
  }
}

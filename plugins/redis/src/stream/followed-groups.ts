import type { EpochListener, Logger, StreamEvent, StreamGroup, Unsubscribe } from '@treadle/api';
import { FollowedGroup } from './followed-group.js';
import type { StreamReader } from './stream-reader.js';
import { groupName } from './stream-rows.js';

/** Who is told of events, and of which groups those of other engines are among them. */
export class FollowedGroups {
  private readonly groups = new Map<string, FollowedGroup>();
  private readonly watchers = new Set<(event: StreamEvent) => void>();

  constructor(private readonly reader: StreamReader, private readonly log: Logger) {}

  watch(listener: (event: StreamEvent) => void): Unsubscribe {
    const watcher = (event: StreamEvent): void => listener(event);
    this.watchers.add(watcher);
    return () => void this.watchers.delete(watcher);
  }

  /** To be called while no write of this engine is under way, so that none is told twice or not at all. */
  async follow({ stream, groupId }: StreamGroup, anew: EpochListener = () => undefined): Promise<Unsubscribe> {
    const group = { stream, groupId };
    const name = groupName(group);
    const known = this.groups.get(name) ?? await this.begin(group);
    if (!this.groups.has(name)) {
      this.groups.set(name, known);
      // What was told while the place was read.
      this.catchUp(known);
    }
    const use: EpochListener = (epoch) => anew(epoch);
    known.uses.add(use);
    return () => {
      known.uses.delete(use);
      if (known.uses.size === 0 && this.groups.get(name) === known) this.groups.delete(name);
    };
  }

  /** Events of this engine have happened. Those of one group are in their order; those of groups that are not followed are told as they are. */
  async own(events: readonly StreamEvent[]): Promise<void> {
    const followed = new Map<FollowedGroup, StreamEvent[]>();
    for (const event of events) {
      const group = this.groups.get(groupName(event));
      if (!group) this.tell(event);
      else if (followed.has(group)) followed.get(group)?.push(event);
      else followed.set(group, [event]);
    }
    await Promise.all([...followed].map(([group, own]) => group.own(own)));
  }

  /** Something has happened in the group of that name. */
  others(name: string): void {
    const group = this.groups.get(name);
    if (group) this.catchUp(group);
  }

  /** Finds what no notice told. */
  async look(): Promise<void> {
    const groups = [...this.groups.values()];
    const places = await this.reader.places(groups.map(({ of }) => of));
    groups.forEach((group, index) => {
      const { epoch, seq } = places[index] ?? group.place;
      if (epoch !== group.place.epoch || seq !== group.place.seq) this.catchUp(group);
    });
  }

  close(): void {
    this.watchers.clear();
    this.groups.clear();
  }

  private async begin(group: StreamGroup): Promise<FollowedGroup> {
    const [place = { epoch: '', seq: 0 }] = await this.reader.places([group]);
    return new FollowedGroup(group, place, (of, after, limit) => this.reader.eventsBehind(of, after, limit), (event) => this.tell(event));
  }

  /** What cannot be read now is found by the next look. */
  private catchUp(group: FollowedGroup): void {
    void group.others().catch(() => undefined);
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
}

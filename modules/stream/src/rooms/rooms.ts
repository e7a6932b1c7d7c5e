import type { Clock, StreamAdapter, StreamEvent, StreamGroup, Timer, Unsubscribe } from '@treadle/api';
import { type ByteCount, RetainedWindow } from './retained-window.js';
import { type ResumePoint, Room } from './room.js';
import type { Subscriber } from './subscribers.js';

/** How much of the past is kept for clients that reconnect; a reload may change the members. */
export interface RetentionOptions {
  readonly retained_events: number;
  readonly retained_ms: number;
  readonly max_retained_bytes: number;
}

const SWEEP_MS = 5_000;
/** Groups that nobody follows at the moment, however many ids a client makes up; the longest deserted ones go first. */
const MAX_DESERTED = 10_000;
/** Part of the bytes that stays when there were too many, so that the next ones do not make it look again at once. */
const KEPT = 0.75;

/** The groups that clients follow, or followed a moment ago. Others cost nothing. */
export class Rooms {
  private readonly rooms = new Map<string, Map<string, Room>>();
  private readonly retained: ByteCount = { bytes: 0 };
  /** No message of a group that was forgotten had a higher `timestamp`. */
  private stampFloor = 0;
  private sweeping: Timer | undefined;
  private unwatch: Unsubscribe | undefined;

  constructor(private readonly adapter: StreamAdapter, private readonly clock: Clock, private readonly options: RetentionOptions) {}

  open(): void {
    this.unwatch = this.adapter.watch((event) => this.take(event));
    this.sweeping = this.clock.every(SWEEP_MS, () => this.sweep());
  }

  /** Goes over to what the options say now. */
  optionsChanged(): void {
    for (const room of this.all()) room.window.setMaxEvents(this.options.retained_events);
    this.sweep();
    this.shrink();
  }

  close(): void {
    this.unwatch?.();
    this.sweeping?.cancel();
    for (const room of this.all()) room.close();
    this.rooms.clear();
  }

  /** Resolves when the subscriber follows its group, or has left meanwhile. @throws what reading the group throws */
  join(group: StreamGroup, subscriber: Subscriber, from: ResumePoint | undefined): Promise<void> {
    const groups = this.rooms.get(group.stream) ?? new Map<string, Room>();
    this.rooms.set(group.stream, groups);
    let room = groups.get(group.groupId);
    if (!room) {
      room = new Room(group, this.adapter, this.clock, new RetainedWindow(this.options.retained_events, this.retained), this.stampFloor);
      groups.set(group.groupId, room);
    }
    return room.join(subscriber, from);
  }

  leave({ stream, groupId }: StreamGroup, subscriber: Subscriber): void {
    this.rooms.get(stream)?.get(groupId)?.leave(subscriber);
  }

  /** Subscribers of a stream. */
  size(stream: string): number {
    let size = 0;
    for (const room of this.rooms.get(stream)?.values() ?? []) size += room.size;
    return size;
  }

  /** Groups that are remembered. */
  get count(): number {
    return this.all().length;
  }

  /** Bytes that the retained events take, roughly. */
  get retainedBytes(): number {
    return this.retained.bytes;
  }

  private take(event: StreamEvent): void {
    this.rooms.get(event.stream)?.get(event.groupId)?.take(event);
    this.shrink();
  }

  /** Forgets what is too old, and groups that nobody comes back to. */
  private sweep(): void {
    const old = this.clock.monotonic() - this.options.retained_ms;
    const deserted: Room[] = [];
    for (const room of this.all()) {
      room.window.trim(old);
      room.forgetSnapshot();
      if (room.size === 0 && room.joining === 0) deserted.push(room);
    }
    deserted.sort((a, b) => b.leftAt - a.leftAt);
    deserted.forEach((room, index) => {
      if (room.leftAt <= old || index >= MAX_DESERTED) this.forget(room);
    });
  }

  private forget(room: Room): void {
    const { stream, groupId } = room.group;
    this.stampFloor = Math.max(this.stampFloor, room.lastStamp);
    room.window.clear(undefined);
    room.close();
    const groups = this.rooms.get(stream);
    groups?.delete(groupId);
    if (groups?.size === 0) this.rooms.delete(stream);
  }

  private all(): readonly Room[] {
    return [...this.rooms.values()].flatMap((groups) => [...groups.values()]);
  }

  /** Where there is too much: the largest first. Their clients get a fresh sync instead. */
  private shrink(): void {
    const { max_retained_bytes: most } = this.options;
    if (this.retained.bytes <= most) return;
    for (const room of [...this.all()].sort((a, b) => b.window.bytes - a.window.bytes)) {
      if (this.retained.bytes <= most * KEPT) return;
      room.window.trim(Infinity);
    }
  }
}

import { type Clock, encodeKey, type OperationError, type StreamEvent, type StreamGroup } from '@treadle/api';
import type { SqliteStore } from '../store/sqlite-store.js';
import type { Ticket } from '../store/write-queue.js';
import type { GroupRow, StoredItem } from './stream-reader.js';

/** Positions that are written ahead at a time: what an unclean end skips at most. */
export const BLOCK = 1_000;
/** As many positions before the end of a block the next one is asked for, so that events seldom wait. */
const AHEAD = 200;
/** After so many milliseconds positions for what is stored are asked for again. */
const AGAIN_MS = 1_000;

/** A write of an item that is on its way to the disk. */
export interface PendingWrite extends StoredItem {
  ticket: Ticket | undefined;
  /** Called with true once watchers were told of it, with false when it has failed. */
  readonly waiting: ((told: boolean) => void)[];
}

/** What is known of an item while writes of it are under way. */
export interface PendingItem {
  /** As watchers know it. */
  told: StoredItem | undefined;
  latest: PendingWrite;
}

/** An event before it has its place. */
export type PlacelessEvent = Pick<StreamEvent, 'id' | 'event' | 'timestamp'>;

interface Held {
  readonly event: PlacelessEvent;
  /** Stored already: it must be told, however long it takes. */
  readonly stored: boolean;
  readonly done: (error?: OperationError) => void;
}

/**
 * The order of one group. Its positions are given when an event is told, and only up to what the store has been told to
 * skip after an unclean end; an event that comes when they are used up waits for the next block.
 */
export class GroupLog {
  readonly stream: string;
  readonly group: string;
  readonly pending = new Map<string, PendingItem>();
  /** Writes on their way. */
  writes = 0;
  seq: number;
  /** No deleted item had a higher revision. */
  floor: number;
  usedAt = 0;
  /** Up to here positions may be given. */
  private reserved: number;
  /** Up to here they will be, once what is under way is stored. */
  private granted: number;
  private held: Held[] = [];
  private waits = false;

  // eslint-disable-next-line max-params -- what a group is made of
  constructor(
    readonly of: StreamGroup, row: GroupRow, private readonly store: Pick<SqliteStore, 'write' | 'isClosed'>, private readonly clock: Pick<Clock, 'now' | 'after'>,
    private readonly tell: (event: StreamEvent) => void, private readonly epoch: string,
  ) {
    this.stream = encodeKey(of.stream);
    this.group = encodeKey(of.groupId);
    this.seq = this.reserved = this.granted = row.seq;
    this.floor = row.floor;
  }

  /** The group's row when a write should carry it: because a block is nearly used up, or always. */
  positionFor(always: boolean): readonly [seq: number, floor: number, usedAt: number] | undefined {
    if (!always && this.seq + this.writes + AHEAD < this.granted) return undefined;
    this.granted = Math.max(this.granted, this.seq + this.writes + BLOCK);
    return [this.granted, this.floor, this.clock.now()];
  }

  /** A write that carried a position was stored, or was not. */
  positionSettled(seq: number | undefined, ok: boolean): void {
    if (seq === undefined) return;
    if (!ok) {
      this.granted = this.reserved;
      return;
    }
    this.reserved = Math.max(this.reserved, seq);
    this.granted = Math.max(this.granted, this.reserved);
    if (this.held.length > 0) this.tellHeld();
  }

  /** Gives the event its place and tells it, at once if possible; `done` is called afterwards. */
  emit(event: PlacelessEvent, stored: boolean, done: (error?: OperationError) => void): void {
    if (this.held.length === 0 && this.seq < this.reserved) {
      this.place(event);
      done();
      if (this.seq + AHEAD >= this.granted) this.reserve();
      return;
    }
    this.held.push({ event, stored, done });
    if (this.granted === this.reserved) this.reserve();
  }

  /** Nothing is under way and nothing waits. */
  get quiet(): boolean {
    return this.writes === 0 && this.pending.size === 0 && this.held.length === 0 && this.granted === this.reserved;
  }

  /** Gives back what is left of the block: the row with the exact place, or undefined when it is stored already. */
  release(): readonly [stream: string, group: string, seq: number, floor: number, usedAt: number] | undefined {
    if (this.reserved === this.seq) return undefined;
    this.reserved = this.granted = this.seq;
    return [this.stream, this.group, this.seq, this.floor, this.clock.now()];
  }

  private place(event: PlacelessEvent): void {
    this.seq += 1;
    this.tell({ ...this.of, epoch: this.epoch, seq: this.seq, ...event });
  }

  private reserve(): void {
    const [seq, floor, usedAt] = this.positionFor(true) ?? [this.granted, this.floor, this.clock.now()];
    const rows = [[this.stream, this.group, seq, floor, usedAt]];
    this.store.write({ operation: 'stream.position', rows }, (outcome) => {
      this.positionSettled(seq, outcome.ok);
      if (!outcome.ok) this.giveUp(outcome.error);
    });
  }

  private tellHeld(): void {
    const { held } = this;
    let next = 0;
    for (; next < held.length && this.seq < this.reserved; next += 1) {
      const { event, done } = held[next] as Held;
      this.place(event);
      done();
    }
    this.held = held.slice(next);
    if (this.held.length > 0 && this.granted === this.reserved) this.reserve();
  }

  /** What is stored is told with the next block, which is asked for until it comes or the store has ended; what is not never happened. */
  private giveUp(error: OperationError): void {
    const { held } = this;
    const goesOn = error.code !== 'StorageFailed' && !this.store.isClosed;
    this.held = held.filter(({ stored }) => stored && goesOn);
    for (const { stored, done } of held) if (!stored || !goesOn) done(error);
    if (this.held.length === 0 || this.waits) return;
    this.waits = true;
    this.clock.after(AGAIN_MS, () => {
      this.waits = false;
      if (this.held.length > 0 && this.granted === this.reserved) this.reserve();
    });
  }
}

import type { Clock, StreamGroup } from '@treadle/api';
import type { KvDriver, Row } from './driver/kv-driver.js';
import { rowPages } from './driver/row-pages.js';
import { afterRow, spanOf } from './key-encoding.js';
import type { KeyLock } from './key-lock.js';
import { groupKey, type GroupRow, groupRow, itemsOfGroup, STREAM_AREA } from './stream-rows.js';

/** How long a group stays in memory unused, and how long one without items is remembered by itself; milliseconds. */
const IDLE_MS = 600_000;
const REMEMBER_MS = 86_400_000;
/** Rows that are read or written at a time. */
const PORTION = 200;
/** Rows that a sweep looks at, so that it ends soon however many there are. */
const LOOKED_AT = 5_000;

/** A group that was used lately. */
export interface OpenGroup {
  seq: number;
  floor: number;
  /** Of the newest item. */
  ord: number;
  /** When its last event was; milliseconds since the epoch. */
  usedAt: number;
  /** Its row has not got its position. */
  moved: boolean;
}

/**
 * Where the groups are: of those in use in memory, of the others in their rows. Those without rows begin with the floor, which no group that was forgotten had
 * gone beyond, neither in positions nor in revisions.
 */
export class StreamGroups {
  private readonly groups = new Map<string, OpenGroup>();
  private sweeping: Promise<void> | undefined;
  private closed = false;
  /** Where the next sweep goes on. */
  private next: string = STREAM_AREA.group;

  private constructor(private readonly driver: KvDriver, private readonly locks: KeyLock, private readonly clock: Pick<Clock, 'now'>, private floor: number) {}

  /** `locks`: held by whoever works on a group, by its key. */
  static async open(driver: KvDriver, locks: KeyLock, clock: Pick<Clock, 'now'>): Promise<StreamGroups> {
    return new StreamGroups(driver, locks, clock, Number(await driver.get(STREAM_AREA.floor) ?? 0));
  }

  /** One that is in memory. */
  known(key: string): OpenGroup | undefined {
    return this.groups.get(key);
  }

  /** Takes a group into memory. `ord`: of its newest item. */
  async open(key: string, ord: number): Promise<OpenGroup> {
    const { seq, floor } = await this.stored(key);
    const opened = { seq, floor, ord, usedAt: this.clock.now(), moved: false };
    this.groups.set(key, opened);
    return opened;
  }

  /** Position of the last event. */
  async seqOf(of: StreamGroup): Promise<number> {
    const key = groupKey(of);
    return (this.groups.get(key) ?? await this.stored(key)).seq;
  }

  /** Positions of another epoch say nothing; the floors stay. */
  async forgetPositions(): Promise<void> {
    for await (const rows of rowPages(this.driver, spanOf(STREAM_AREA.group))) {
      await this.driver.put(rows.map(([key, row]) => [key, { ...row as GroupRow, q: 0 } satisfies GroupRow] as const));
    }
  }

  /** Lets go of groups that nobody has used for ten minutes, and forgets those without items after a day. One pass at a time. */
  sweep(): Promise<void> {
    this.sweeping ??= this.sweepOnce().finally(() => {
      this.sweeping = undefined;
    });
    return this.sweeping;
  }

  /** Stores where each group is. Nobody works on one any more. */
  async close(): Promise<void> {
    this.closed = true;
    await this.sweeping?.catch(() => undefined); // Whoever asked for the pass was told.
    const keys = [...this.groups.keys()];
    for (let at = 0; at < keys.length; at += PORTION) await this.store(keys.slice(at, at + PORTION));
  }

  private async stored(key: string): Promise<Pick<OpenGroup, 'seq' | 'floor'>> {
    const row = await this.driver.get(key) as GroupRow | undefined;
    return row ? { seq: row.q, floor: row.f } : { seq: this.floor, floor: this.floor };
  }

  private async sweepOnce(): Promise<void> {
    const now = this.clock.now();
    const idle = [...this.groups].filter(([, { usedAt }]) => usedAt < now - IDLE_MS).map(([key]) => key);
    for (let at = 0; at < idle.length && !this.closed; at += PORTION) {
      await this.locks.runFree(idle.slice(at, at + PORTION), (free) => this.release(free));
      await nextTurn();
    }
    for (let looked = 0; looked < LOOKED_AT && !this.closed; looked += PORTION) {
      if (await this.forgetSome(now - REMEMBER_MS) < PORTION) return;
      await nextTurn();
    }
  }

  private async release(keys: readonly string[]): Promise<void> {
    await this.store(keys);
    for (const key of keys) this.groups.delete(key);
  }

  private async store(keys: readonly string[]): Promise<void> {
    const moved = keys.flatMap((key): { readonly key: string; readonly group: OpenGroup }[] => {
      const group = this.groups.get(key);
      return group?.moved ? [{ key, group }] : [];
    });
    if (moved.length > 0) await this.driver.put(moved.map(({ key, group }) => [key, groupRow(group)]));
    for (const { group } of moved) group.moved = false;
  }

  /** Looks at the next rows. Returns how many there were. */
  private async forgetSome(before: number): Promise<number> {
    const rows = await this.driver.range({ ...spanOf(STREAM_AREA.group), from: this.next, limit: PORTION });
    const last = rows.at(-1);
    this.next = last && rows.length === PORTION ? afterRow(last[0]) : STREAM_AREA.group;
    const old = new Map(rows.filter(([key, row]) => ((row as GroupRow).u ?? 0) < before && !this.groups.has(key)));
    if (old.size > 0) await this.locks.runFree([...old.keys()], (free) => this.forget(free.map((key) => [key, old.get(key)])));
    return rows.length;
  }

  /** The floor is raised first: without it a revision could come back after a crash in between. */
  private async forget(rows: readonly Row[]): Promise<void> {
    const gone: Row[] = [];
    // One that is in memory was used after its row was read.
    for (const row of rows) if (!this.groups.has(row[0]) && !await this.hasItems(row[0])) gone.push(row);
    if (gone.length === 0) return;
    const floor = gone.reduce((most, [, row]) => Math.max(most, (row as GroupRow).q, (row as GroupRow).f), this.floor);
    if (floor > this.floor) await this.driver.put([[STREAM_AREA.floor, floor]]);
    this.floor = floor;
    await this.driver.remove(gone.map(([key]) => key));
  }

  private async hasItems(key: string): Promise<boolean> {
    return (await this.driver.range({ ...itemsOfGroup(key), limit: 1 })).length > 0;
  }
}

/** Some stores are done when a call returns: other work would not get a turn. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

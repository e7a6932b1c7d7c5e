import type {
  ClearChanges, Clock, PendingChange, StateEntry, StateGroupPage, StateItem, StatePage, StateWrite, StateWriteResult,
} from '@treadle/api';
import { ChangeLog } from './change-log.js';
import type { KvDriver, Row } from './driver/kv-driver.js';
import { rowPages } from './driver/row-pages.js';
import { afterGroup, encode, groupSpan, keySpan, namesOf, spanOf, type Span, valueKey } from './key-encoding.js';
import { KeyLock } from './key-lock.js';
import { AREA, changeOf, dueKey, dueUntil, liveEntry, TOMBSTONE_MS, type ValueRow, valueKeyOf } from './state-rows.js';

interface Paging { readonly limit: number; readonly prefix?: string; readonly cursor?: string }

const CLEAR_ROWS = 64;

/**
 * State in rows of a key-value store. A write is one `put` of at most three rows: its change, when it has to be looked
 * at again, and the value. Deleted and expired keys keep their revision for a while; then the highest revision that was
 * forgotten becomes the floor from which new keys count, so that a revision never comes back.
 */
export class KvStateStore {
  private readonly locks = new KeyLock();
  private sweeping: Promise<void> | undefined;
  private closed = false;

  private constructor(
    private readonly driver: KvDriver, private readonly clock: Clock, private readonly changes: ChangeLog<PendingChange>, private floor: number,
  ) {}

  /** Takes up what a former run left. */
  static async open(driver: KvDriver, clock: Clock): Promise<KvStateStore> {
    const changes = await ChangeLog.open<PendingChange>(driver, AREA.change);
    return new KvStateStore(driver, clock, changes, Number(await driver.get(AREA.floor) ?? 0));
  }

  async get(group: string, key: string): Promise<StateEntry | undefined> {
    return liveEntry(await this.row(valueKey(AREA.value, group, key)), this.clock.now());
  }

  /** When an entry expires that is there; milliseconds. */
  async expiryOf(group: string, key: string): Promise<number | undefined> {
    const row = await this.row(valueKey(AREA.value, group, key));
    return liveEntry(row, this.clock.now()) && row?.x;
  }

  write(write: StateWrite): Promise<StateWriteResult> {
    const at = valueKey(AREA.value, write.group, write.key);
    return this.locks.run(at, () => this.writeLocked(at, write));
  }

  async list(group: string, { limit, ...options }: Paging): Promise<StatePage> {
    const items: StateItem[] = [];
    for await (const rows of rowPages(this.driver, keySpan(AREA.value, group, options), limit + 1)) {
      const now = this.clock.now();
      for (const [at, row] of rows) {
        const entry = liveEntry(row as ValueRow, now);
        if (entry) items.push({ key: namesOf(AREA.value, at).key, ...entry });
        if (items.length > limit) return pageOf(items.slice(0, limit), encode(items[limit - 1]?.key ?? ''));
      }
    }
    return { items };
  }

  async listGroups({ limit, ...options }: Paging): Promise<StateGroupPage> {
    const items: string[] = [];
    const { from: first, to } = groupSpan(AREA.value, options);
    let from = first;
    for (let group = await this.groupFrom({ from, to }); group !== undefined; group = await this.groupFrom({ from, to })) {
      items.push(group);
      if (items.length > limit) return pageOf(items.slice(0, limit), encode(items[limit - 1] ?? ''));
      from = afterGroup(AREA.value, group);
    }
    return { items };
  }

  /** One key after the other, so that the changes are in the order of the keys; a file writes one at a time in any case. */
  async clear(group: string, changes?: ClearChanges): Promise<number> {
    let count = 0;
    for await (const rows of rowPages(this.driver, keySpan(AREA.value, group, {}), CLEAR_ROWS)) {
      for (const [at] of rows) if ((await this.remove(namesOf(AREA.value, at), changes)).before !== undefined) count++;
    }
    return count;
  }

  async pendingChanges(limit: number, after?: string): Promise<readonly PendingChange[]> {
    return (await this.changes.pending(limit, after)).map(changeOf);
  }

  settleChanges(ids: readonly string[]): Promise<void> {
    return this.changes.settle(ids);
  }

  /** Removes what has expired or was deleted long enough ago. One pass at a time. */
  sweep(): Promise<void> {
    this.sweeping ??= this.sweepDue().finally(() => {
      this.sweeping = undefined;
    });
    return this.sweeping;
  }

  /** Resolves when nothing is being written any more. Failures are those of the calls. */
  async close(): Promise<void> {
    this.closed = true;
    await this.sweeping?.catch(() => undefined); // Whoever asked for the pass was told.
    await this.locks.idle();
  }

  private remove(names: Pick<StateWrite, 'group' | 'key'>, changes: ClearChanges | undefined): Promise<StateWriteResult> {
    const recordChange = changes?.wants(names.key) ?? false;
    return this.write({ ...names, next: (current) => ({ action: current ? 'delete' : 'keep' }), recordChange, origin: changes?.origin });
  }

  private async row(at: string): Promise<ValueRow | undefined> {
    return await this.driver.get(at) as ValueRow | undefined;
  }

  private async writeLocked(at: string, write: StateWrite): Promise<StateWriteResult> {
    const old = await this.row(at);
    const now = this.clock.now();
    const before = liveEntry(old, now);
    const made = this.decide(old, write, now);
    if (!made) return { before, after: before };
    const after = liveEntry(made, -Infinity);
    const [due, oldDue] = [dueKey(at, made), dueKey(at, old)];
    await this.driver.put([
      ...write.recordChange ? [this.changeRow(write, { before, after, revision: made.r })] : [],
      ...due === undefined ? [] : [[due, true] as const],
      [at, made],
    ]);
    // The value is stored; a row that stays, on a full disk say, is found and removed by the sweep.
    if (oldDue !== undefined && oldDue !== due) await this.driver.remove([oldDue]).catch(() => undefined);
    return { before, after };
  }

  /** The new row, or undefined when nothing is to be written. */
  private decide(old: ValueRow | undefined, { next }: StateWrite, now: number): ValueRow | undefined {
    const before = liveEntry(old, now);
    const decision = next(before);
    const r = (old?.r ?? this.floor) + 1;
    if (decision.action === 'keep' || (decision.action === 'delete' && !before)) return undefined;
    if (decision.action === 'delete') return { r, t: now + TOMBSTONE_MS };
    const kept = before ? old?.x : undefined;
    const x = decision.keepExpiry ? kept : decision.expiresAt;
    return { r, v: decision.value, ...x === undefined ? {} : { x } };
  }

  private changeRow(
    { group, key, origin }: StateWrite, { before, after, revision }: StateWriteResult & { readonly revision: number },
  ): Row {
    return this.changes.row({ group, key, oldValue: before?.value, newValue: after?.value, revision, origin }, this.clock.now());
  }

  /** The first group at or behind `from` that holds a live key. */
  private async groupFrom(span: Span): Promise<string | undefined> {
    for await (const rows of rowPages(this.driver, span, 1)) {
      const now = this.clock.now();
      const live = rows.find(([, row]) => liveEntry(row as ValueRow, now));
      if (live) return namesOf(AREA.value, live[0]).group;
    }
    return undefined;
  }

  private async sweepDue(): Promise<void> {
    for await (const rows of rowPages(this.driver, spanOf(AREA.due, dueUntil(this.clock.now())))) {
      for (const [due] of rows) {
        if (this.closed) return;
        const at = valueKeyOf(due);
        await this.locks.run(at, () => this.forget(at, due));
      }
    }
  }

  /** The floor is raised first: without it a revision could come back after a crash in between. */
  private async forget(at: string, due: string): Promise<void> {
    const row = await this.row(at);
    const isGone = row && (row.t ?? row.x ?? Infinity) <= this.clock.now();
    if (isGone && row.r > this.floor) {
      await this.driver.put([[AREA.floor, row.r]]);
      this.floor = Math.max(this.floor, row.r);
    }
    await this.driver.remove(isGone ? [due, at] : [due]);
  }
}

function pageOf<T>(items: readonly T[], cursor: string): { items: readonly T[]; cursor: string } {
  return { items, cursor };
}

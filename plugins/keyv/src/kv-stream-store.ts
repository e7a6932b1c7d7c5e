import { randomBytes } from 'node:crypto';
import {
  type Json, type ModuleContext, OperationError, type PendingStreamChange, type StateEntry, type StateGroupPage, type StateListOptions,
  type StreamEvent, type StreamGroup, type StreamItem, type StreamPosition, type StreamWrite, type StreamWriteResult, type Unsubscribe,
} from '@treadle/api';
import { ChangeLog } from './change-log.js';
import type { KvDriver } from './driver/kv-driver.js';
import { rowPages } from './driver/row-pages.js';
import { afterGroup, encode, groupSpan, namesOf, type Span } from './key-encoding.js';
import { KeyLock } from './key-lock.js';
import { type OpenGroup, StreamGroups } from './stream-groups.js';
import { groupKey, groupRow, itemArea, itemEntry, itemKey, type ItemRow, itemsOf, type MetaRow, STREAM_AREA } from './stream-rows.js';

type Surroundings = Pick<ModuleContext, 'clock' | 'log'>;

/**
 * Streams in rows of a key-value store. Everything that concerns a group happens one after the other under its lock, so
 * that the order of its events is that of its rows. Positions are counted in memory and stored by a clean stop, and when a
 * group has not been used for a while; after any other end than a clean stop a new epoch begins.
 */
export class KvStreamStore {
  private readonly watchers = new Set<(event: StreamEvent) => void>();

  // eslint-disable-next-line max-params -- what streams are made of
  private constructor(
    private readonly driver: KvDriver, private readonly context: Surroundings, private readonly epoch: string,
    private readonly changes: ChangeLog<PendingStreamChange>, private readonly locks: KeyLock, private readonly groups: StreamGroups,
  ) {}

  /** Takes up what a former run left. */
  static async open(driver: KvDriver, context: Surroundings): Promise<KvStreamStore> {
    const meta = await driver.get(STREAM_AREA.meta) as MetaRow | undefined;
    const epoch = meta?.clean ? meta.epoch : randomBytes(9).toString('base64url');
    const changes = await ChangeLog.open<PendingStreamChange>(driver, STREAM_AREA.change);
    const locks = new KeyLock();
    const groups = await StreamGroups.open(driver, locks, context.clock);
    const store = new KvStreamStore(driver, context, epoch, changes, locks, groups);
    await driver.put([[STREAM_AREA.meta, { epoch, clean: false } satisfies MetaRow]]);
    if (!meta?.clean) await groups.forgetPositions();
    return store;
  }

  async get(group: StreamGroup, id: string): Promise<StateEntry | undefined> {
    return itemEntry(await this.row(itemKey(group, id)));
  }

  write(write: StreamWrite): Promise<StreamWriteResult> {
    return this.inGroup(write, (group) => this.writeLocked(group, write));
  }

  /** Keeps nothing of the group: clients may join any that they make up. */
  snapshot(of: StreamGroup): Promise<{ items: readonly StreamItem[]; position: StreamPosition }> {
    return this.locks.run(groupKey(of), async () => {
      const items = await this.items(of);
      const seq = await this.groups.seqOf(of);
      return { items: items.map(({ id, row }) => ({ id, value: row.v, revision: row.r })), position: { epoch: this.epoch, seq } };
    });
  }

  async listGroups(stream: string, { limit, prefix, cursor }: StateListOptions & { readonly limit: number }): Promise<StateGroupPage> {
    const area = itemArea(stream);
    const items: string[] = [];
    const { from: first, to } = spanOfGroups(area, { ...prefix === undefined ? {} : { prefix }, ...cursor === undefined ? {} : { cursor } });
    for (let from = first; ;) {
      const [row] = await this.driver.range({ from, to, limit: 1 });
      if (!row) return { items };
      if (items.length === limit) return { items, cursor: encode(items.at(-1) ?? '') };
      const { group } = namesOf(area, row[0]);
      items.push(group);
      from = afterGroup(area, group);
    }
  }

  send(of: StreamGroup, { id, type, data }: { readonly id?: string | undefined; readonly type: string; readonly data: Json }): Promise<void> {
    return this.inGroup(of, async (group) => this.tell(of, group, { id, event: { type: 'event', event: { type, data } } }));
  }

  watch(listener: (event: StreamEvent) => void): Unsubscribe {
    const own = (event: StreamEvent): void => listener(event);
    this.watchers.add(own);
    return () => void this.watchers.delete(own);
  }

  pendingChanges(limit: number, after?: string): Promise<readonly PendingStreamChange[]> {
    return this.changes.pending(limit, after);
  }

  settleChanges(ids: readonly string[]): Promise<void> {
    return this.changes.settle(ids);
  }

  /** Lets go of groups that nobody uses, and forgets those without items after a while. */
  sweep(): Promise<void> {
    return this.groups.sweep();
  }

  /** Waits for what is under way and stores where each group is. */
  async close(): Promise<void> {
    await this.locks.idle();
    await this.groups.close();
    await this.driver.put([[STREAM_AREA.meta, { epoch: this.epoch, clean: true } satisfies MetaRow]]);
  }

  private async row(at: string): Promise<ItemRow | undefined> {
    return await this.driver.get(at) as ItemRow | undefined;
  }

  private inGroup<T>(of: StreamGroup, work: (group: OpenGroup) => Promise<T>): Promise<T> {
    const key = groupKey(of);
    return this.locks.run(key, async () => work(this.groups.known(key) ?? await this.openGroup(key, of)));
  }

  private async openGroup(key: string, of: StreamGroup): Promise<OpenGroup> {
    const items = await this.items(of);
    return this.groups.open(key, items.at(-1)?.row.o ?? 0);
  }

  private async writeLocked(group: OpenGroup, write: StreamWrite): Promise<StreamWriteResult> {
    const at = itemKey(write, write.id);
    const old = await this.row(at);
    const before = itemEntry(old);
    const decision = write.next(itemEntry(old && structuredClone(old)));
    if (decision.action === 'keep' || (decision.action === 'delete' && !before)) return { before, after: before };
    const changed = before ? 'update' : 'create';
    const type = decision.action === 'delete' ? 'delete' : changed;
    const data = copyOf(decision.action === 'set' ? decision.value : before?.value ?? null);
    const made: ItemRow = { r: (old?.r ?? group.floor) + 1, v: data, o: old?.o ?? group.ord + 1 };
    await this.store(group, { write, at, made, type });
    this.tell(write, group, { id: write.id, event: { type, data } });
    return { before, after: type === 'delete' ? undefined : { value: copyOf(data), revision: made.r } };
  }

  private async store(group: OpenGroup, { write, at, made, type }: MadeWrite): Promise<void> {
    const change = write.change?.(type);
    const { stream, groupId, id: itemId } = write;
    const changes = change ? [this.changes.row({ stream, groupId, itemId, type, data: made.v, origin: change.origin }, this.context.clock.now())] : [];
    if (type !== 'delete') {
      await this.driver.put([...changes, [at, made]]);
      group.ord = Math.max(group.ord, made.o);
      return;
    }
    // The floor first: without it a revision could come back after a crash in between.
    group.floor = Math.max(group.floor, made.r);
    await this.driver.put([...changes, [groupKey(write), groupRow(group)]]);
    await this.driver.remove([at]);
  }

  private tell({ stream, groupId }: StreamGroup, group: OpenGroup, event: Pick<StreamEvent, 'id' | 'event'>): void {
    group.seq += 1;
    group.moved = true;
    group.usedAt = this.context.clock.now();
    const told: StreamEvent = { stream, groupId, epoch: this.epoch, seq: group.seq, ...event, timestamp: group.usedAt };
    for (const watcher of this.watchers) {
      try {
        watcher(told);
      } catch (error) {
        this.context.log.error('a watcher of streams failed', { stream, reason: String(error) });
      }
    }
  }

  /** By their creation. */
  private async items(of: StreamGroup): Promise<readonly { readonly id: string; readonly row: ItemRow }[]> {
    const items: { id: string; row: ItemRow }[] = [];
    for await (const rows of rowPages(this.driver, itemsOf(of))) {
      for (const [key, row] of rows) items.push({ id: namesOf(itemArea(of.stream), key).key, row: row as ItemRow });
    }
    return items.sort((a, b) => a.row.o - b.row.o);
  }
}

interface MadeWrite {
  readonly write: StreamWrite;
  readonly at: string;
  readonly made: ItemRow;
  readonly type: 'create' | 'update' | 'delete';
}

function spanOfGroups(area: string, options: { readonly prefix?: string; readonly cursor?: string }): Span {
  try {
    return groupSpan(area, options);
  } catch (error) {
    throw new OperationError('StreamInvalidArgument', (error as Error).message);
  }
}

const copyOf = (value: Json): Json => JSON.parse(JSON.stringify(value)) as Json;

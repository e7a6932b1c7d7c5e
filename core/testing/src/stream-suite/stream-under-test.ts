import type {
  Json, StateEntry, StreamAdapter, StreamCapabilities, StreamDecision, StreamEvent, StreamGroup, StreamItem, StreamPosition, StreamWriteResult,
} from '@treadle/api';
import type { VariantTests } from '../suite/adapter-suite.js';
import { AdapterUnderTest } from '../suite/adapter-under-test.js';
import { allPages } from '../suite/all-pages.js';

/** What a group of tests is registered with. */
export type StreamTests = VariantTests<StreamsUnderTest, StreamCapabilities>;

/** The group that most tests use. */
export const GROUP: StreamGroup = { stream: 's', groupId: 'g' };

type Change = (kind: 'create' | 'update' | 'delete') => { readonly origin: string } | undefined;

/** A started adapter with what tests do to it. It is watched from its start on. */
export class StreamsUnderTest extends AdapterUnderTest<StreamAdapter, StreamCapabilities> {
  /** What watchers were told since the last start. */
  events: StreamEvent[] = [];

  override async start(): Promise<void> {
    await super.start();
    this.events = [];
    this.adapter.watch((event) => void this.events.push(event));
  }

  set(id: string, value: Json, group: StreamGroup = GROUP): Promise<StreamWriteResult> {
    return this.write(id, () => ({ action: 'set', value }), { group });
  }

  delete(id: string, group: StreamGroup = GROUP): Promise<StreamWriteResult> {
    return this.write(id, () => ({ action: 'delete' }), { group });
  }

  /** Adds to a number; anything else counts as 0. */
  add(id: string, by: number, group: StreamGroup = GROUP): Promise<StreamWriteResult> {
    return this.write(id, (current) => ({ action: 'set', value: (typeof current?.value === 'number' ? current.value : 0) + by }), { group });
  }

  write(
    id: string, next: (current: StateEntry | undefined) => StreamDecision,
    { group = GROUP, change }: { readonly group?: StreamGroup; readonly change?: Change } = {},
  ): Promise<StreamWriteResult> {
    return this.adapter.write({ ...group, id, next, change });
  }

  send(type: string, data: Json, group: StreamGroup = GROUP): Promise<void> {
    return this.adapter.send(group, { type, data });
  }

  async items(group: StreamGroup = GROUP): Promise<readonly StreamItem[]> {
    return (await this.adapter.snapshot(group)).items;
  }

  async position(): Promise<StreamPosition> {
    return (await this.adapter.snapshot(GROUP)).position;
  }

  eventsOf({ stream, groupId }: StreamGroup = GROUP): readonly StreamEvent[] {
    return this.events.filter((event) => event.stream === stream && event.groupId === groupId);
  }

  /** All pages; throws when a page is too long or the cursor does not end. */
  groups(stream: string, options: { readonly prefix?: string; readonly limit?: number } = {}): Promise<string[]> {
    return allPages(options.limit ?? 100, (paging) => this.adapter.listGroups(stream, { ...options, ...paging }));
  }
}

/** Items as pairs, for comparing. */
export function pairs(items: readonly StreamItem[]): readonly (readonly [string, Json])[] {
  return items.map(({ id, value }) => [id, value] as const);
}

/** What a client makes of a snapshot and the events behind it; items in the order of their creation. */
export function replayed(
  { items, position }: { readonly items: readonly StreamItem[]; readonly position: StreamPosition }, events: readonly StreamEvent[],
): readonly (readonly [string, Json])[] {
  const known = new Map(pairs(items));
  let { seq } = position;
  for (const { id = '', seq: at, epoch, event } of events) {
    if (at <= position.seq) continue;
    if (at !== seq + 1 || epoch !== position.epoch) throw new Error(`event ${at} of epoch ${epoch} came after ${seq} of ${position.epoch}`);
    seq = at;
    if (event.type === 'delete') known.delete(id);
    if (event.type === 'create' && known.has(id)) throw new Error(`event ${at} creates ${id}, which the snapshot has`);
    if (event.type === 'create' || event.type === 'update') known.set(id, event.data);
  }
  return [...known];
}

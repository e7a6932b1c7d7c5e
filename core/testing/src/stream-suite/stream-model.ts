import type { Json, StreamEvent, StreamGroup } from '@treadle/api';

interface Known {
  /** By id, in the order of their creation. */
  readonly items: Map<string, { value: Json; revision: number }>;
  seq: number;
}

/** What a store of streams is, in as few words as possible: the adapters are compared with it. */
export class StreamModel {
  /** What watchers must have been told since the last start, but for epoch and time. */
  events: (StreamGroup & { id: string | undefined; seq: number; event: StreamEvent['event'] })[] = [];
  private known = new Map<string, Known>();
  private revisions = new Map<string, number>();

  group({ stream, groupId }: StreamGroup): Known {
    const key = JSON.stringify([stream, groupId]);
    const known = this.known.get(key) ?? { items: new Map<string, { value: Json; revision: number }>(), seq: 0 };
    this.known.set(key, known);
    return known;
  }

  /** Whether a write may give this revision: the next one for a live item, else one that was never given before. */
  allows(of: StreamGroup, id: string, revision: number): boolean {
    const live = this.group(of).items.get(id);
    if (live) return revision === live.revision + 1;
    return revision > (this.revisions.get(JSON.stringify([of, id])) ?? 0);
  }

  set(of: StreamGroup, id: string, item: { value: Json; revision: number }): void {
    const { items } = this.group(of);
    const type = items.has(id) ? 'update' : 'create';
    items.set(id, item);
    this.revisions.set(JSON.stringify([of, id]), item.revision);
    this.tell(of, id, { type, data: item.value });
  }

  delete(of: StreamGroup, id: string): void {
    const item = this.group(of).items.get(id);
    if (!item) return;
    this.group(of).items.delete(id);
    this.tell(of, id, { type: 'delete', data: item.value });
  }

  tell(of: StreamGroup, id: string | undefined, event: StreamEvent['event']): void {
    const known = this.group(of);
    known.seq += 1;
    this.events.push({ ...of, id, seq: known.seq, event });
  }

  /** The engine was stopped and started. */
  restart({ items, positions }: { readonly items: boolean; readonly positions: boolean }): void {
    this.events = [];
    for (const known of this.known.values()) {
      if (!items) known.items.clear();
      if (!positions) known.seq = 0;
    }
    if (!items) this.revisions.clear();
  }
}

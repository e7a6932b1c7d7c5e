import type { StateEntry, StreamItem, Json } from '@treadle/api';
import type { GroupMessage, KeptEvent } from './group-message.js';

/** Events of a group that are kept for clients that come back. */
const MOST_EVENTS = 1_000;
const MOST_AGE_MS = 300_000;
const MOST_CHARACTERS = 8_000_000;

/** An item as the last event about it left it. */
export interface KnownItem {
  readonly text: string;
  readonly revision: number;
  readonly born: number;
  /** The message that has it. */
  readonly message: number;
}

/** A message that is in the log, as far as this engine knows. */
interface KeptMessage {
  readonly seq: number;
  readonly content: GroupMessage;
  readonly characters: number;
}

/** What the messages of a group's log say, in memory: its items, its place, its last events. */
export class GroupReplica {
  /** Sequence of the last message. */
  last = 0;
  /** Position of the last event. */
  seq = 0;
  floor = 0;
  /** Time of the last event. */
  at = 0;
  readonly items = new Map<string, KnownItem>();
  /** Items that there are after the last message. */
  private count = 0;
  private messages: KeptMessage[] = [];
  /** Messages in the log that have something about an id. */
  private readonly mentions = new Map<string, number>();

  apply(seq: number, content: GroupMessage): void {
    const { events, first, floor, items } = content;
    const characters = events.reduce((sum, { text }) => sum + text.length, 0);
    for (const event of events) this.applyEvent(seq, event);
    for (const id of idsOf(content)) this.mentions.set(id, (this.mentions.get(id) ?? 0) + 1);
    this.messages.push({ seq, content, characters });
    this.last = seq;
    this.seq = first + events.length - 1;
    this.floor = floor;
    this.count = items;
    this.at = events.at(-1)?.at ?? this.at;
  }

  /** It has as many items as its last message says. */
  get isWhole(): boolean {
    return this.items.size === this.count;
  }

  /** In the order of their creation. */
  listed(): readonly StreamItem[] {
    return [...this.items].sort(([, a], [, b]) => a.born - b.born).map(([id, { text, revision }]) => ({ id, value: JSON.parse(text) as Json, revision }));
  }

  /** Events behind a position, each with its own; undefined when some of them are not known any more, or the position has not come. */
  eventsAfter(position: number, limit: number): readonly (readonly [number, KeptEvent])[] | undefined {
    if (position > this.seq) return undefined;
    const behind = this.messages.filter(({ content }) => content.first + content.events.length - 1 > position);
    let next = position + 1;
    const found: (readonly [number, KeptEvent])[] = [];
    for (const { content: { first, events } } of behind) {
      if (first > next) return undefined;
      for (const event of events.slice(next - first)) found.push([next++, event]);
    }
    return next === this.seq + 1 ? found.slice(0, limit) : undefined;
  }

  /**
   * Messages that nobody needs: no item is as they say, their events are too many, too old or too large, and no change of theirs waits. A
   * deletion is needed as long as there is an older message about the item.
   * @param settled all changes up to this sequence have been handed on
   */
  needless(now: number, settled: number): readonly number[] {
    const kept = this.keptFrom(now);
    const gone = new Map<string, number>();
    return this.messages.filter((message) => {
      const { seq, content } = message;
      if (seq === this.last || content.first + content.events.length > kept || this.isNeeded(message, settled, gone)) return false;
      for (const id of idsOf(content)) gone.set(id, (gone.get(id) ?? 0) + 1);
      return true;
    }).map(({ seq }) => seq);
  }

  /** Messages have been removed from the log. */
  forget(seqs: ReadonlySet<number>): void {
    for (const { seq, content } of this.messages) {
      if (seqs.has(seq)) for (const id of idsOf(content)) this.unmention(id);
    }
    this.messages = this.messages.filter(({ seq }) => !seqs.has(seq));
  }

  private applyEvent(message: number, { id, kind, text, revision, born }: KeptEvent): void {
    if (id === undefined || kind === 'event') return;
    if (kind === 'delete') this.items.delete(id);
    else this.items.set(id, { text, revision, born, message });
  }

  private isNeeded({ seq, content }: KeptMessage, settled: number, gone: ReadonlyMap<string, number>): boolean {
    return content.events.some(({ id, kind, origin }) => {
      if (origin !== undefined && seq > settled) return true;
      if (id === undefined || kind === 'event') return false;
      if (kind === 'delete') return (this.mentions.get(id) ?? 0) - (gone.get(id) ?? 0) > 1 && !this.items.has(id);
      return this.items.get(id)?.message === seq;
    });
  }

  /** Position of the first event that is kept. */
  private keptFrom(now: number): number {
    let characters = 0;
    for (let index = this.messages.length - 1; index >= 0; index -= 1) {
      const { content: { first, events }, characters: own } = this.messages[index] as KeptMessage;
      characters += own;
      const old = (events.at(-1)?.at ?? 0) < now - MOST_AGE_MS;
      if (old || characters > MOST_CHARACTERS || first <= this.seq - MOST_EVENTS) return first + events.length;
    }
    return 0;
  }

  private unmention(id: string): void {
    const left = (this.mentions.get(id) ?? 0) - 1;
    if (left > 0) this.mentions.set(id, left);
    else this.mentions.delete(id);
  }
}

export function entryOf(item: { readonly text: string; readonly revision: number } | undefined): StateEntry | undefined {
  return item && { value: JSON.parse(item.text) as Json, revision: item.revision };
}

function idsOf({ events }: GroupMessage): ReadonlySet<string> {
  return new Set(events.flatMap(({ id, kind }) => (id === undefined || kind === 'event' ? [] : [id])));
}

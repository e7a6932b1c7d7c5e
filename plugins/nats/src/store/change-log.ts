import { type SharedChanges, TaskLane, type Unsubscribe } from '@treadle/api';
import { inPortions } from './in-portions.js';
import type { JetLog, Stored } from './jet-log.js';
import { Lease } from './lease.js';
import type { NatsStore } from './nats-store.js';
import { type Mark, SettledMark } from './settled-mark.js';

/** Header of a message that has changes for triggers: how many. */
export const CHANGES = 'Treadle-Changes';
/** Characters of changes after which a page ends early. */
const PAGE_CHARACTERS = 8_000_000;
const READ_AT_ONCE = 16;
/** Messages without changes behind the mark after which it is moved, so that they are not read again after a start. */
const FAR_BEHIND = 5_000;
/** Beats between two words to the listeners without a reason. */
const LOOK_BEATS = 10;
const ID = /^([1-9]\d{0,15})\.(\d{1,6})$/;

/** The last message of a subject whose changes have been settled. */
export interface SettledMessage {
  readonly subject: string;
  readonly seq: number;
  /** No message of the subject up to this sequence has changes that wait; 0 where one has. */
  readonly quietUpTo: number;
}

interface Marked {
  readonly seq: number;
  readonly subject: string;
  readonly count: number;
}

/** The changes of one log. */
export interface ChangeSpec<T> {
  /** Name of the log among the store's; a token. */
  readonly kind: string;
  /** All subjects that may have changes. */
  readonly filter: string;
  /** The changes of a message, in order, the first with the id `seq.0`. */
  readonly changesOf: (message: Stored) => Promise<readonly T[]>;
  /** All changes of a message have been settled: what was kept for them may go. */
  readonly settled?: (message: SettledMessage) => void;
}

/** Pending changes: messages of a log that have some, behind a mark. The change and the write are one message, so there is never one without the other. */
export class ChangeLog<T extends { readonly id: string; readonly bytes?: number }> implements SharedChanges {
  readonly mark: SettledMark;
  private readonly lease: Lease;
  private readonly listeners = new Set<() => void>();
  private readonly unlisten: Unsubscribe;
  private readonly lane = new TaskLane();
  /** Messages with changes behind the mark, up to `scanned`. */
  private marked: Marked[] = [];
  private scanned = 0;
  private beats = 0;

  constructor(private readonly store: NatsStore, records: JetLog, private readonly log: JetLog, private readonly spec: ChangeSpec<T>) {
    this.mark = new SettledMark(records, `${store.prefix}.m.settled.${spec.kind}`, log);
    this.lease = new Lease(store, records, `changes-${spec.kind}`);
    this.unlisten = store.listen({
      notice: (kind) => {
        if (kind === `changes-${spec.kind}`) this.tell();
      },
      beat: (anew) => {
        this.beats += 1;
        if (anew || this.beats % LOOK_BEATS === 0) this.tell();
        return Promise.resolve();
      },
    });
  }

  lead(leaseMs: number): Promise<boolean> {
    return this.lease.take(leaseMs);
  }

  onChanges(listener: () => void): Unsubscribe {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** A change of this engine was stored: others may have to hand it on. */
  stored(): void {
    this.store.tell(`changes-${this.spec.kind}`, '');
  }

  /** As `StateAdapter.pendingChanges`. */
  async pending(limit: number, after?: string): Promise<readonly T[]> {
    const { mark, marked } = await this.behindMark();
    if (marked.length === 0 && this.scanned - mark.upTo >= FAR_BEHIND) await this.advance();
    const ids = marked.flatMap(idsOf).filter((id) => !mark.settled.has(id));
    const from = after === undefined ? 0 : ids.indexOf(after) + 1;
    const page = new Set(ids.slice(from, from + limit));
    const messages = [...new Set([...page].map(seqOf))];
    const found: T[] = [];
    for (let at = 0, size = 0; at < messages.length && size < PAGE_CHARACTERS; at += READ_AT_ONCE) {
      const changes = (await inPortions(messages.slice(at, at + READ_AT_ONCE), READ_AT_ONCE, (seq) => this.changesAt(seq))).flat();
      for (const change of changes.filter(({ id }) => page.has(id))) {
        if (size < PAGE_CHARACTERS) found.push(change);
        size += change.bytes ?? 0;
      }
    }
    return found;
  }

  async settle(ids: readonly string[]): Promise<void> {
    const valid = ids.filter((id) => ID.test(id));
    if (valid.length === 0) return;
    await this.behindMark();
    const { marked, scanned } = this;
    let gone: readonly Marked[] = [];
    await this.mark.change((mark) => {
      const done = new Set([...mark.settled, ...valid.filter((id) => seqOf(id) > mark.upTo)]);
      const known = marked.filter(({ seq }) => seq > mark.upTo);
      const open = known.find((message) => idsOf(message).some((id) => !done.has(id)));
      const upTo = Math.max(mark.upTo, open ? open.seq - 1 : scanned);
      gone = known.filter(({ seq }) => seq <= upTo);
      return { upTo, settled: new Set([...done].filter((id) => seqOf(id) > upTo && known.some(({ seq }) => seq === seqOf(id)))) };
    });
    this.tellSettled(gone, marked.filter(({ seq }) => seq > (gone.at(-1)?.seq ?? 0)), scanned);
  }

  /** Moves the mark over messages without changes, so that what is superseded may go. */
  async advance(): Promise<void> {
    const { marked, mark } = await this.behindMark();
    const upTo = (marked[0]?.seq ?? this.scanned + 1) - 1;
    if (upTo > mark.upTo) await this.mark.change((current) => (upTo > current.upTo ? { upTo, settled: current.settled } : undefined));
  }

  async close(): Promise<void> {
    this.unlisten();
    this.listeners.clear();
    await this.lease.release().catch(() => undefined);
  }

  private tellSettled(gone: readonly Marked[], open: readonly Marked[], scanned: number): void {
    const waiting = new Set(open.map(({ subject }) => subject));
    const last = new Map(gone.map(({ subject, seq }) => [subject, seq]));
    for (const [subject, seq] of last) this.spec.settled?.({ subject, seq, quietUpTo: waiting.has(subject) ? 0 : scanned });
  }

  /** Brings `marked` up to the end of the log. */
  private behindMark(): Promise<{ readonly mark: Mark; readonly marked: readonly Marked[] }> {
    return this.lane.run(async () => {
      const mark = await this.mark.read();
      const end = await this.log.end();
      const from = Math.max(this.scanned, mark.upTo) + 1;
      if (from <= end) {
        for await (const message of this.log.read({ filter: this.spec.filter, from, headersOnly: true })) {
          const count = Number(message.header(CHANGES) ?? 0);
          if (count > 0) this.marked.push({ seq: message.seq, subject: message.subject, count });
          this.scanned = message.seq;
        }
      }
      this.scanned = Math.max(this.scanned, end);
      this.marked = this.marked.filter(({ seq }) => seq > mark.upTo);
      return { mark, marked: this.marked };
    });
  }

  private async changesAt(seq: number): Promise<readonly T[]> {
    const message = await this.log.at(seq);
    return message ? this.spec.changesOf(message) : [];
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

function idsOf({ seq, count }: Marked): string[] {
  return Array.from({ length: count }, (_, index) => `${seq}.${index}`);
}

function seqOf(id: string): number {
  return Number(ID.exec(id)?.[1]);
}

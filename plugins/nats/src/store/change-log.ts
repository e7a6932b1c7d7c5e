import { type SharedChanges, TaskLane, type Unsubscribe } from '@treadle/api';
import { inPortions } from './in-portions.js';
import type { JetLog, Stored } from './jet-log.js';
import { Lease } from './lease.js';
import type { NatsStore } from './nats-store.js';
import { isCrowded, isSettled, type Mark, SettledMark } from './settled-mark.js';

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
  /** Messages with changes that are left, in order, up to `scanned`. */
  private marked: Marked[] = [];
  /** The last message of each subject, behind the mark, whose changes have been settled while one before it is left. */
  private readonly done = new Map<string, number>();
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
    const page = new Set(pageOf(marked, mark, { limit, after }));
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
    const { marked } = await this.behindMark();
    if (marked.length === 0) return;
    let mark: Mark | undefined;
    await this.mark.change((current) => (mark = markAfter(current, marked, { scanned: this.scanned, ids: valid })));
    if (!mark) return;
    this.forgetSettled(mark);
    this.tellSettled(mark);
  }

  /** Moves the mark over messages without changes, so that what is superseded may go. */
  async advance(): Promise<void> {
    const { marked, mark } = await this.behindMark();
    const upTo = (marked[0]?.seq ?? this.scanned + 1) - 1;
    if (upTo <= mark.upTo) return;
    await this.mark.change((current) => (upTo > current.upTo ? { ...current, upTo, through: Math.max(upTo, current.through) } : undefined));
  }

  async close(): Promise<void> {
    this.unlisten();
    this.listeners.clear();
    await this.lease.release().catch(() => undefined);
  }

  private tellSettled(mark: Mark): void {
    const gone = [...this.done].filter(([, seq]) => seq <= mark.upTo);
    if (gone.length === 0) return;
    const waiting = new Set(this.marked.map(({ subject }) => subject));
    for (const [subject, seq] of gone) {
      this.done.delete(subject);
      this.spec.settled?.({ subject, seq, quietUpTo: waiting.has(subject) ? 0 : this.scanned });
    }
  }

  /** Nothing behind what the mark speaks of has been settled. */
  private forgetSettled(mark: Mark): void {
    const place = placeAfter(this.marked, reachOf(mark, mark.settled));
    const near = this.marked.slice(0, place);
    const left = near.filter((message) => !isSettled(mark, message));
    if (left.length === near.length) return;
    for (const message of near) if (isSettled(mark, message)) this.noteDone(message);
    this.marked = left.concat(this.marked.slice(place));
  }

  private noteDone({ subject, seq }: Marked): void {
    this.done.set(subject, Math.max(seq, this.done.get(subject) ?? 0));
  }

  /** Brings `marked` up to the end of the log. */
  private behindMark(): Promise<{ readonly mark: Mark; readonly marked: readonly Marked[] }> {
    return this.lane.run(async () => {
      const mark = await this.mark.read();
      const end = await this.log.end();
      const from = Math.max(this.scanned, mark.upTo) + 1;
      this.forgetSettled(mark);
      if (from <= end) {
        for await (const message of this.log.read({ filter: this.spec.filter, from, headersOnly: true })) {
          const count = Number(message.header(CHANGES) ?? 0);
          const found = { seq: message.seq, subject: message.subject, count };
          if (count > 0 && isSettled(mark, found)) this.noteDone(found);
          else if (count > 0) this.marked.push(found);
          this.scanned = message.seq;
        }
      }
      this.scanned = Math.max(this.scanned, end);
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

/** Ids that are left, from the one after `after` on; from the first where that is not left. */
function pageOf(marked: readonly Marked[], mark: Mark, { limit, after }: { readonly limit: number; readonly after: string | undefined }): readonly string[] {
  const end = isCrowded(mark) ? mark.through : Infinity;
  const leftOf = (message: Marked): string[] => idsOf(message).filter((id) => !mark.settled.has(id));
  const at = after === undefined ? 0 : placeAfter(marked, seqOf(after) - 1);
  const first = marked[at];
  // Its own message has `after` and what comes before it.
  const before = after === undefined || !first ? -1 : leftOf(first).indexOf(after);
  const from = before === -1 ? 0 : at;
  const found: string[] = [];
  for (const message of marked.slice(from, from + limit + 1)) {
    if (message.seq > end || found.length >= limit) break;
    for (const id of message === first ? leftOf(message).slice(before + 1) : leftOf(message)) found.push(id);
  }
  return found.slice(0, limit);
}

/** The mark when these ids are settled as well. @param marked messages of which changes are left, all of them up to `scanned` */
function markAfter(mark: Mark, marked: readonly Marked[], { scanned, ids }: { readonly scanned: number; readonly ids: readonly string[] }): Mark {
  const near = marked.slice(0, placeAfter(marked, reachOf(mark, ids)));
  const known = new Set(near.map(({ seq }) => seq));
  const fresh = ids.filter((id) => known.has(seqOf(id)));
  const settled = new Set([...mark.settled, ...fresh]);
  const open = near.filter((message) => !isSettled({ ...mark, settled }, message)).map(({ seq }) => seq);
  const upTo = Math.max(mark.upTo, (open[0] ?? marked[near.length]?.seq ?? scanned + 1) - 1);
  const isOpen = new Set(open);
  const through = reachOf({ through: Math.max(upTo, mark.through) }, fresh.filter((id) => !isOpen.has(seqOf(id))));
  // Another engine may have looked further.
  const left = new Set([...open.filter((seq) => seq <= through), ...[...mark.left].filter((seq) => seq > scanned)]);
  return { upTo, through, left, settled: new Set([...settled].filter((id) => seqOf(id) > through || left.has(seqOf(id)))) };
}

/** The last sequence that the mark, or one of these ids, speaks of. */
function reachOf({ through }: Pick<Mark, 'through'>, ids: Iterable<string>): number {
  let reach = through;
  for (const id of ids) reach = Math.max(reach, seqOf(id));
  return reach;
}

/** How many of the messages have no later sequence. */
function placeAfter(marked: readonly Marked[], seq: number): number {
  let [low, high] = [0, marked.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marked[middle]?.seq ?? Infinity) <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

function idsOf({ seq, count }: Marked): string[] {
  return Array.from({ length: count }, (_, index) => `${seq}.${index}`);
}

function seqOf(id: string): number {
  return Number(ID.exec(id)?.[1]);
}

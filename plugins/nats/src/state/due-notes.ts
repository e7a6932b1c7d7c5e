import type { ChangeLog } from '../store/change-log.js';
import { inPortions } from '../store/in-portions.js';
import type { JetLog } from '../store/jet-log.js';
import { Lease } from '../store/lease.js';
import type { NatsStore } from '../store/nats-store.js';
import type { Floors } from './floors.js';
import { isLive, keptOf, type KeptEntry } from './kept-entry.js';
import type { StateChange } from './state-changes.js';
import type { StatePlaces } from './state-place.js';

/** A span of the store's time; what falls due in one is looked at after it. */
const SPAN_MS = 600_000;
/** Beats between two looks. */
const LOOK_BEATS = 30;
const LEASE_MS = 120_000;
const AT_ONCE = 50;

interface Surroundings {
  readonly store: NatsStore;
  readonly log: JetLog;
  readonly records: JetLog;
  readonly places: StatePlaces;
  readonly changes: ChangeLog<StateChange>;
  readonly floors: Floors;
}

/**
 * Which keys expire, or were deleted, in which span of time: JetStream has no index of that. A note is one record for a key and a span, so
 * a key that is written often has few. One engine goes through the notes of spans that are over and forgets what is dead: the
 * group's floor keeps its revision.
 */
export class DueNotes {
  private readonly lease: Lease;
  private readonly swept: string;
  private beats = 0;

  constructor(private readonly around: Surroundings) {
    this.lease = new Lease(around.store, around.records, 'forget-state');
    this.swept = `${around.store.prefix}.m.swept`;
  }

  /** Spans before the first use of a store have no notes. */
  async begin(): Promise<void> {
    const { records, store } = this.around;
    if (!await records.last(this.swept)) await records.append(this.swept, { text: String(spanAt(store.time.now())), after: 0 });
  }

  /** Notes when a key is to be looked at, where the message before did not. */
  async keep(subject: string, before: KeptEntry | undefined, next: Pick<KeptEntry, 'text' | 'expiresAt'>): Promise<void> {
    const span = this.spanOf(next);
    const noted = next.text !== undefined && before?.expiresAt !== undefined && spanAt(before.expiresAt) === span;
    if (span === undefined || noted) return;
    await this.note(span, subject);
  }

  async beat(): Promise<void> {
    this.beats += 1;
    if (this.beats % LOOK_BEATS === 0 && await this.lease.take(LEASE_MS)) await this.sweep();
  }

  /** Goes through all spans that are over. */
  async sweep(): Promise<void> {
    const { store, records, changes } = this.around;
    const found = await records.last(this.swept);
    const now = spanAt(store.time.now());
    const from = Number(found?.text ?? now) + 1;
    if (from >= now) return;
    await changes.advance();
    for (let span = from; span < now; span += 1) await this.sweepSpan(span);
    await records.append(this.swept, { text: String(now - 1), after: found?.seq ?? 0 });
  }

  async close(): Promise<void> {
    await this.lease.release().catch(() => undefined);
  }

  private async sweepSpan(span: number): Promise<void> {
    const { records, places, floors } = this.around;
    const notes = await records.subjects(places.notesOf(span));
    const revisions = new Map<string, number>();
    await inPortions(notes, AT_ONCE, async (note) => {
      const subject = places.keyOfNote(span, note);
      const revision = await this.look(subject);
      if (revision === undefined) return;
      const { group } = places.namesOf(subject);
      revisions.set(group, Math.max(revisions.get(group) ?? 0, revision));
    });
    for (const [group, revision] of revisions) await floors.raise(group, revision);
    if (notes.length > 0) await records.purge(places.notesOf(span));
  }

  /** Forgets a key that is dead; gives its revision when that is not safe yet, and notes it for later. */
  private async look(subject: string): Promise<number | undefined> {
    const { log, places, store, changes, floors } = this.around;
    const message = await log.last(subject);
    const found = message && keptOf(message);
    if (!found || isLive(found, store.time.now())) return undefined;
    const pending = found.seq > changes.mark.known;
    if (!pending && await floors.covers(places.namesOf(subject).group, found.revision)) {
      await log.purge(subject, found.seq + 1);
      return undefined;
    }
    await this.note(spanAt(store.time.now()) + 1, subject);
    return found.revision;
  }

  private async note(span: number, subject: string): Promise<void> {
    await this.around.records.append(this.around.places.noteOf(span, subject), { text: '' });
  }

  /** The span in which a message is to be looked at: never one that may have been gone through. */
  private spanOf({ text, expiresAt }: Pick<KeptEntry, 'text' | 'expiresAt'>): number | undefined {
    const now = this.around.store.time.now();
    if (text === undefined) return spanAt(now) + 1;
    return expiresAt === undefined ? undefined : Math.max(spanAt(expiresAt), spanAt(now) + 1);
  }
}

function spanAt(moment: number): number {
  return Math.floor(moment / SPAN_MS);
}

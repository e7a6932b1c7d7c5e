import type { StateDecision, StateWrite, StateWriteResult } from '@treadle/api';
import type { ChangeLog } from '../store/change-log.js';
import type { JetLog } from '../store/jet-log.js';
import { Lanes } from '../store/lanes.js';
import type { NatsStore } from '../store/nats-store.js';
import type { DueNotes } from './due-notes.js';
import type { Floors } from './floors.js';
import { KeptEntries } from './kept-entries.js';
import { entryOf, headersOf, isLive, keptOf, type KeptEntry } from './kept-entry.js';
import type { StateChange } from './state-changes.js';
import type { StatePlaces } from './state-place.js';

/** What a writer works with. */
export interface StateParts {
  readonly store: NatsStore;
  readonly log: JetLog;
  readonly places: StatePlaces;
  readonly changes: ChangeLog<StateChange>;
  readonly notes: DueNotes;
  readonly floors: Floors;
}

type Effect = Exclude<StateDecision, { readonly action: 'keep' }>;

/**
 * Reads the last message of a key, decides, and stores the next one only if that is still the last: a decision never goes by a value that
 * another write has replaced. What it replaced is removed afterwards, unless a change needs it.
 */
export class StateWriter {
  private readonly lanes = new Lanes();
  /** What this engine wrote last, perhaps not the last any more. */
  private readonly known = new KeptEntries();

  constructor(private readonly parts: StateParts) {}

  write(write: StateWrite): Promise<StateWriteResult> {
    const subject = this.parts.places.keyOf(write.group, write.key);
    return this.lanes.run(subject, async () => {
      for (;;) {
        const result = await this.attempt(subject, write);
        if (result) return result;
      }
    });
  }

  /** Undefined: another write came first, or what is known of the key is not sure. */
  private async attempt(subject: string, write: StateWrite): Promise<StateWriteResult | undefined> {
    const known = this.known.take(subject);
    if (known) return this.decide(subject, write, { found: known, sure: false });
    const reading = this.last(subject);
    reading.catch(() => undefined);
    // Most keys that this engine did not write are new: that is tried while the key is read.
    const made = await this.decide(subject, write, { found: undefined, sure: false });
    return made ?? this.decide(subject, write, { found: await reading, sure: true });
  }

  /** Goes by an entry that is the last, or may be (not `sure`); then only what is stored counts. Undefined: it was not the last. */
  private async decide(
    subject: string, write: StateWrite, { found, sure }: { readonly found: KeptEntry | undefined; readonly sure: boolean },
  ): Promise<StateWriteResult | undefined> {
    const live = isLive(found, this.parts.store.time.now()) ? found : undefined;
    const before = live && entryOf(live);
    const decision = sure ? decisionOf(write, live) : guessOf(write, live);
    if (decision.action === 'keep' || (decision.action === 'delete' && !live)) return sure ? { before, after: before } : undefined;
    const next = await this.nextOf(write, decision, { found, live });
    const seq = await this.store(subject, found, next);
    if (seq === undefined) return undefined;
    this.known.keep(subject, { ...next, seq });
    if (next.recorded) this.parts.changes.stored();
    if (found) this.replaced(found, next);
    return { before, after: next.text === undefined ? undefined : entryOf({ text: next.text, revision: next.revision }) };
  }

  private async last(subject: string): Promise<KeptEntry | undefined> {
    const message = await this.parts.log.last(subject);
    return message && keptOf(message);
  }

  private async nextOf(
    { group, recordChange, origin }: StateWrite, decision: Effect, { found, live }: { readonly found: KeptEntry | undefined; readonly live: KeptEntry | undefined },
  ): Promise<Omit<KeptEntry, 'seq'>> {
    const revision = (found ? found.revision : await this.parts.floors.of(group)) + 1;
    const change = { recorded: recordChange, old: live?.seq, origin };
    if (decision.action === 'delete') return { revision, text: undefined, expiresAt: undefined, ...change };
    const { value, text = JSON.stringify(value), keepExpiry = false, expiresAt } = decision;
    const own = expiresAt === undefined ? undefined : this.parts.store.time.toStore(expiresAt);
    return { revision, text, expiresAt: keepExpiry && live ? live.expiresAt : own, ...change };
  }

  private async store(subject: string, found: KeptEntry | undefined, next: Omit<KeptEntry, 'seq'>): Promise<number | undefined> {
    const { log, notes } = this.parts;
    const [seq] = await Promise.all([
      log.append(subject, { text: next.text ?? '', headers: headersOf(next), after: found?.seq ?? 0 }), notes.keep(subject, found, next),
    ]);
    return seq;
  }

  /** Removes what was replaced, unless it belongs to a change that is not settled. What fails to go is removed with its key. */
  private replaced(found: KeptEntry, next: Omit<KeptEntry, 'seq'>): void {
    const { log, changes } = this.parts;
    const pending = found.recorded && found.seq > changes.mark.known;
    if (pending || (next.recorded && next.old === found.seq)) return;
    for (const seq of [found.old, found.seq]) if (seq !== undefined) void log.remove(seq).catch(() => undefined);
  }
}

function decisionOf({ always, next }: StateWrite, live: (KeptEntry & { readonly text: string }) | undefined): StateDecision {
  return always ?? next(live && entryOf(live));
}

/** As `decisionOf`, of an entry that may not be the last: then an error says nothing. */
function guessOf(write: StateWrite, live: (KeptEntry & { readonly text: string }) | undefined): StateDecision {
  try {
    return decisionOf(write, live);
  } catch {
    return { action: 'keep' };
  }
}

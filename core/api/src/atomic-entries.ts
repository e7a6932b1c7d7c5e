import type { StateEntry } from './blocks/state.js';
import type { AtomicRun } from './dispatch/atomic-run.js';
import type { Json } from './config-schema.js';

/** What a write decides; more of it is its block's. */
export interface AtomicDecision {
  readonly action: 'keep' | 'set' | 'delete';
  readonly value?: Json;
  readonly text?: string | undefined;
}

/** What a run has read and written of one entry. */
export interface AtomicEntry<Place, Decision> {
  readonly place: Place;
  /** The revision that is stored; 0: there is none. It must still be so at the commit. */
  readonly base: number;
  /** As the store gave it. */
  readonly stored: StateEntry | undefined;
  /** The last decision that changed it; absent: it was only read. */
  decision: Decision | undefined;
  /** JSON of what the run wrote; null: it deleted it. */
  text: string | null;
  /** As the run sees it: one more with each of its writes. */
  revision: number;
}

/** Where entries are stored. */
export interface AtomicStore<Place> {
  read(place: Place): Promise<StateEntry | undefined>;
  /** One text for each place. */
  nameOf(place: Place): string;
  /** For people. */
  describe(place: Place): string;
}

/** What a write of a run found and left. */
export interface AtomicResult {
  readonly before: StateEntry | undefined;
  readonly after: StateEntry | undefined;
}

/**
 * Entries as an atomic run sees them: what is stored, beneath what it wrote itself. Each is remembered with the revision that it had when the
 * run first met it; another one later ends the run.
 */
export class AtomicEntries<Place, Decision extends AtomicDecision> {
  private readonly entries = new Map<string, AtomicEntry<Place, Decision>>();

  constructor(private readonly run: AtomicRun, private readonly store: AtomicStore<Place>) {}

  /** In the order in which the run met them. */
  all(): readonly AtomicEntry<Place, Decision>[] {
    return [...this.entries.values()];
  }

  /** What the run has written, as far as it has. */
  written(place: Place): AtomicEntry<Place, Decision> | undefined {
    const entry = this.entries.get(this.store.nameOf(place));
    return entry?.decision && entry;
  }

  async get(place: Place): Promise<StateEntry | undefined> {
    return (await this.look(place)).current;
  }

  /** `next` as in a write of an adapter; it also gets what the run has written before. */
  async write(place: Place, next: (current: StateEntry | undefined, written: Decision | undefined) => Decision): Promise<AtomicResult> {
    const looked = await this.look(place);
    const { entry } = looked;
    // Another write of the run may have come between.
    const current = entry.decision ? written(entry) : looked.current;
    const decision = next(current, entry.decision);
    if (decision.action === 'keep' || (decision.action === 'delete' && !current)) return { before: current, after: current };
    const text = decision.action === 'set' ? decision.text ?? JSON.stringify(decision.value) : null;
    this.run.keep(0, text?.length ?? 0);
    entry.decision = decision;
    entry.text = text;
    entry.revision += 1;
    return { before: current, after: written(entry) };
  }

  /** What was read otherwise than by `get`. Gives the entry as the run has it. @throws OperationError `AtomicConflict` when it is not as it was */
  note(place: Place, stored: StateEntry | undefined): AtomicEntry<Place, Decision> {
    return this.noted(this.store.nameOf(place), place, stored);
  }

  /** What the run has of a place: as it has written it, else as it is stored now. */
  private async look(place: Place): Promise<{ readonly entry: AtomicEntry<Place, Decision>; readonly current: StateEntry | undefined }> {
    const name = this.store.nameOf(place);
    const known = this.entries.get(name);
    if (known?.decision) return { entry: known, current: written(known) };
    const stored = await this.store.read(place);
    const entry = this.noted(name, place, stored);
    return { entry, current: entry.decision ? written(entry) : stored };
  }

  private noted(name: string, place: Place, stored: StateEntry | undefined): AtomicEntry<Place, Decision> {
    const known = this.entries.get(name);
    const revision = stored?.revision ?? 0;
    if (known) return known.base === revision ? known : this.run.conflict(this.store.describe(place));
    this.run.keep(1, 0);
    const entry = { place, base: revision, stored, decision: undefined, text: null, revision };
    this.entries.set(name, entry);
    return entry;
  }
}

/** A fresh object each time, whose value is read from the text once somebody asks for it. */
function written({ text, revision }: Pick<AtomicEntry<unknown, unknown>, 'text' | 'revision'>): StateEntry | undefined {
  if (text === null) return undefined;
  let value: Json | undefined;
  return {
    get value(): Json {
      return value ??= JSON.parse(text) as Json;
    },
    revision,
  };
}

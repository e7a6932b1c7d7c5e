import {
  AtomicEntries, type AtomicEntry, type AtomicPart, type AtomicRun, type ClearChanges, type Clock, mergedPage, type PendingChange, type StateAdapter,
  type StateCommitWrite, type StateDecision, type StateEntry, type StateGroupPage, type StateItem, type StateListOptions, type StatePage, type StateWrite,
  type StateWriteResult,
} from '@treadle/api';
import type { StateChanges } from './state-changes.js';
import type { StateHistory } from './state-history.js';
import { type StateObserver, StateService } from './state-service.js';

/** Keys that a `clear` looks at at a time. */
const PORTION = 1_000;

/** What state the runs of atomic Steps see. */
export interface AtomicStateParts {
  readonly adapter: StateAdapter;
  readonly changes: StateChanges;
  readonly clock: Clock;
  readonly history?: StateHistory | undefined;
  readonly observer?: StateObserver | undefined;
  /** Whose run it is, for the history. */
  readonly step: string;
  readonly traceId: string;
}

interface Place {
  readonly group: string;
  readonly key: string;
}

/** Decides what a change leaves for triggers with it. */
interface Decision {
  readonly action: StateDecision['action'];
  readonly value?: Extract<StateDecision, { action: 'set' }>['value'];
  readonly text?: string | undefined;
  readonly expiresAt?: number | undefined;
  /** The time to live of what is stored goes on. */
  readonly keepExpiry: boolean;
  readonly origin: string | undefined;
  readonly recordChange: boolean;
}

type Entry = AtomicEntry<Place, Decision>;
type Paging = StateListOptions & { readonly limit: number };

/** The state of a run, on the rules of any other. @throws OperationError `AtomicConflict` when a reload has put another module in the place of the one that the run began with */
export function atomicState(run: AtomicRun, parts: AtomicStateParts): StateService {
  const part = run.part('state', () => new AtomicState(run, parts));
  return part.changes === parts.changes ? part.service : run.conflict('the module that keeps state');
}

/** What an atomic run reads and writes of state. */
class AtomicState implements AtomicPart, StateAdapter {
  readonly service: StateService;
  readonly changes: StateChanges;
  private readonly entries: AtomicEntries<Place, Decision>;

  constructor(run: AtomicRun, private readonly parts: AtomicStateParts) {
    const { adapter, changes, clock } = parts;
    this.changes = changes;
    this.entries = new AtomicEntries(run, {
      read: ({ group, key }) => adapter.get(group, key), nameOf: ({ group, key }) => `${group.length} ${group}${key}`,
      describe: ({ group, key }) => `key "${key}" of group "${group}"`,
    });
    this.service = new StateService(this, {
      recording: (group, key, origin) => changes.recording(group, key, origin), clearing: (group, origin) => changes.clearing(group, origin), recorded: () => undefined,
    });
    this.service.open(clock);
    this.service.observer = parts.observer;
  }

  get(group: string, key: string): Promise<StateEntry | undefined> {
    return this.entries.get({ group, key });
  }

  write({ group, key, next, recordChange, origin }: StateWrite): Promise<StateWriteResult> {
    return this.entries.write({ group, key }, (current, written) => {
      // What the run itself wrote has the time to live that it was given, or goes on with that of what is stored.
      const before = current && (written ?? STORED);
      return { ...decisionOf(next(current), before), recordChange, origin };
    });
  }

  async list(group: string, paging: Paging): Promise<StatePage> {
    const page = await mergedPage<StateItem>(paging, (beneath) => this.parts.adapter.list(group, beneath), {
      nameOf: ({ key }) => key, added: this.items(group), isGone: (key) => this.entries.written({ group, key })?.text === null,
    });
    const own = new Set(this.items(group).map(({ key }) => key));
    for (const { key, value, revision } of page.items) if (!own.has(key)) this.entries.note({ group, key }, { value, revision });
    return page;
  }

  listGroups(paging: Paging): Promise<StateGroupPage> {
    const written = this.changed();
    const added = [...new Set(written.filter(({ text }) => text !== null).map(({ place }) => place.group))];
    return mergedPage<string>(paging, (beneath) => this.parts.adapter.listGroups(beneath), {
      nameOf: (group) => group, added,
      isGone: async (group) => written.some(({ place }) => place.group === group) && (await this.list(group, { limit: 1 })).items.length === 0,
    });
  }

  async clear(group: string, changes?: ClearChanges): Promise<number> {
    let removed = 0;
    for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
      const page: StatePage = await this.list(group, { limit: PORTION, ...cursor !== undefined && { cursor } });
      for (const { key } of page.items) {
        await this.write({ group, key, recordChange: changes?.wants(key) ?? false, origin: changes?.origin, next: () => ({ action: 'delete' }) });
      }
      removed += page.items.length;
      cursor = page.cursor;
    }
    return removed;
  }

  writes(): readonly StateCommitWrite[] {
    return this.entries.all().map(writeOf);
  }

  committed(): void {
    if (this.changed().some(({ decision }) => decision?.recordChange)) this.changes.recorded();
    const { history } = this.parts;
    if (history?.wanted === true) for (const entry of this.changed()) void this.noteIn(history, entry);
  }

  /** The revision is the store's: it remembers that of a key that was deleted before. */
  private async noteIn(history: StateHistory, { place, stored, text, base }: Entry): Promise<void> {
    const { adapter, step, traceId } = this.parts;
    const now = text === null ? undefined : await adapter.get(place.group, place.key).catch(() => undefined);
    const after = text === null ? undefined : { value: JSON.parse(text) as StateItem['value'], revision: now?.revision ?? base + 1 };
    if (stored ?? after) history.note({ ...place, step, traceId, before: stored, after });
  }

  async pendingChanges(): Promise<readonly PendingChange[]> {
    return Promise.resolve([]);
  }

  async settleChanges(): Promise<void> {
    return Promise.resolve();
  }

  /** What the run has written and not deleted. */
  private items(group: string): readonly StateItem[] {
    return this.changed().flatMap(({ place, text, revision }) => (
      place.group === group && text !== null ? [{ key: place.key, value: JSON.parse(text) as StateItem['value'], revision }] : []));
  }

  private changed(): readonly Entry[] {
    return this.entries.all().filter(({ decision }) => decision !== undefined);
  }
}

type Expiry = Pick<Decision, 'expiresAt' | 'keepExpiry'>;

const STORED: Expiry = { keepExpiry: true };

/** `before`: the time to live of the entry as the run has it; absent: there is no entry. */
function decisionOf(made: StateDecision, before: Expiry | undefined): Omit<Decision, 'origin' | 'recordChange'> {
  if (made.action !== 'set') return { action: made.action, keepExpiry: false };
  const { value, text = JSON.stringify(value), expiresAt, keepExpiry = false } = made;
  const kept = keepExpiry ? before : undefined;
  return { action: 'set', text, keepExpiry: kept?.keepExpiry ?? false, expiresAt: kept ? kept.expiresAt : expiresAt };
}

function writeOf({ place, base, decision, text }: Entry): StateCommitWrite {
  const compared = { slot: 'state', ...place, ifRevision: base } as const;
  if (!decision || (text === null && base === 0)) return { ...compared, decision: { action: 'keep' } };
  const { recordChange, origin = '', keepExpiry, expiresAt } = decision;
  const change = recordChange ? { origin } : undefined;
  if (text === null) return { ...compared, decision: { action: 'delete' }, change };
  return { ...compared, change, decision: { action: 'set', text, expiresAt, keepExpiry, get value() { return JSON.parse(text) as StateItem['value']; } } };
}

import {
  type Clock, type Json, type OperationError, type OperationObserver, OperationRunner, type Origin, type StateAdapter, type StateDecision, type StateEntry,
  setTo, type StateGroupPage, type StateListOptions, type StatePage, type StatePort, type StateSetOptions, type StateWrite, type StateWriteResult,
  type UpdateOperation, type WrittenJson,
} from '@treadle/api';
import { applyUpdate, checkOperations, writeJson } from '@treadle/json';
import { boundedPage } from './bounded-page.js';
import { checkListOptions, checkName, checkRevision, checkTtl } from './state-arguments.js';
import { StateChanges } from './state-changes.js';
import { stateError } from './state-errors.js';
import type { StateHistory } from './state-history.js';

/** Verbs of the state operations. */
export type StateVerb = keyof StatePort;

/** Where telemetry attaches. */
export type StateObserver = OperationObserver<StateVerb>;

/** Revisions that a write found and left; absent: there was no entry. */
export interface Revisions {
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** Origin of what a Step asked for. */
export interface StepOrigin extends Origin {
  readonly step?: string | undefined;
}

/** Origin of a read or a write that is to be told its revisions, since what the port gives back has no room for them. */
export interface ToldOrigin extends StepOrigin {
  told: Revisions | undefined;
}

type Deciding = Pick<StateWrite, 'next' | 'always'>;

/** Which key is written, and for whom. */
interface Target {
  readonly group: string;
  readonly key: string;
  readonly origin: Origin | undefined;
  /** A person asked for it: it is noted whether or not others are. */
  readonly byHand?: true;
}

/** What may be stored and how it changes; where it is kept is the adapter's. */
export class StateService implements StatePort {
  private readonly runner = new OperationRunner<StateVerb>('state', 'StateUnavailable');

  constructor(private readonly adapter: StateAdapter, private readonly changes: Pick<StateChanges, 'recording' | 'clearing' | 'recorded'> = new StateChanges(adapter)) {}

  /** Noted are writes while it is wanted. */
  history: StateHistory | undefined;

  /** Serves from now on; before it everything is refused with `StateUnavailable`. */
  open(clock: Clock): void {
    this.runner.open(clock);
  }

  /** From now on everything is refused with `StateUnavailable`; what has begun goes on. */
  close(): void {
    this.runner.close();
  }

  /** Told of each operation that has ended. */
  set observer(observer: StateObserver | undefined) {
    this.runner.observer = observer;
  }

  /** `origin` is told the revision that was found. */
  async get(group: string, key: string, origin?: Origin): Promise<Json> {
    const entry = await this.runner.run('get', () => this.adapter.get(checkName('group', group), checkName('key', key)));
    tell(origin, { after: entry });
    return entry ? entry.value : null;
  }

  async getEntry(group: string, key: string): Promise<StateEntry | null> {
    const entry = await this.runner.run('getEntry', () => this.adapter.get(checkName('group', group), checkName('key', key)));
    return entry ?? null;
  }

  async set(group: string, key: string, value: Json, options?: StateSetOptions): Promise<Json> {
    return (await this.put(group, key, value, options)).value;
  }

  /** `set` for whoever sends on what was stored. */
  async put(group: string, key: string, value: Json, options?: StateSetOptions): Promise<WrittenJson> {
    return (await this.store({ group, key, origin: options?.origin }, value, options?.ttlMs)).stored;
  }

  /** `set` for whoever goes on from the revision that it made. */
  async setEntry(group: string, key: string, value: Json, options?: StateSetOptions): Promise<StateEntry> {
    const { stored, after } = await this.store({ group, key, origin: options?.origin }, value, options?.ttlMs);
    return { value: stored.value, revision: after.revision };
  }

  delete(group: string, key: string, origin?: Origin): Promise<void> {
    return this.runner.run('delete', async () => {
      tell(origin, await this.write({ group, key, origin }, always({ action: 'delete' })));
    });
  }

  /** Deletes for a person. Gives the id of the change in the history, which can restore it; undefined: there was nothing. */
  deleteByHand(group: string, key: string): Promise<number | undefined> {
    return this.runner.run('delete', async () => (await this.write({ group, key, origin: undefined, byHand: true }, always({ action: 'delete' }))).change);
  }

  /** Atomic per key. An update that removes the whole value deletes the key and gives `null` with the last revision. */
  update(group: string, key: string, operations: readonly UpdateOperation[], origin?: Origin): Promise<StateEntry> {
    return this.runner.run('update', async () => {
      const checked = checkOperations(operations);
      const { before, after } = tell(origin, await this.write({ group, key, origin }, { next: (current) => {
        if (checked.length === 0) return { action: 'keep' };
        return decision(current, applyUpdate(current?.value, checked));
      } }));
      return after ?? { value: null, revision: before?.revision ?? 0 };
    });
  }

  /** Revision 0: there must be no entry. A time to live goes on running. */
  compareAndSet(group: string, key: string, write: { readonly revision: number; readonly value: Json }, origin?: Origin): Promise<StateEntry> {
    return this.runner.run('compareAndSet', async () => {
      const stored = writeJson(write.value);
      const expected = checkRevision(write.revision);
      const { after } = tell(origin, await this.write({ group, key, origin }, { next: (current) => {
        const is = current?.revision ?? 0;
        if (is !== expected) throw conflict(group, key, { expected, is });
        return setTo(stored, { keepExpiry: true });
      } }));
      return after as StateEntry;
    });
  }

  /** Deletes the value of a revision; revision 0: there must be no entry. */
  deleteRevision(group: string, key: string, revision: number): Promise<void> {
    return this.runner.run('delete', async () => {
      const expected = checkRevision(revision);
      await this.write({ group, key, origin: undefined }, { next: (current) => {
        const is = current?.revision ?? 0;
        if (is !== expected) throw conflict(group, key, { expected, is });
        return { action: current ? 'delete' : 'keep' };
      } });
    });
  }

  /** Milliseconds until an entry expires; undefined: it stays, or is not there. Null: the adapter cannot tell. */
  expiresIn(group: string, key: string): Promise<number | undefined | null> {
    return this.runner.run('getEntry', async (clock) => {
      const { adapter } = this;
      if (!adapter.expiryOf) return null;
      const due = await adapter.expiryOf(checkName('group', group), checkName('key', key));
      return due === undefined ? undefined : due - clock.now();
    });
  }

  /** Gives the value of a revision another time to live, which is a write; null: it stays. */
  expire(group: string, key: string, { revision, ttlMs }: { readonly revision: number; readonly ttlMs: number | null }): Promise<StateEntry> {
    return this.runner.run('compareAndSet', async (clock) => {
      const [expected, ms] = [checkRevision(revision), checkTtl(ttlMs)];
      const { after } = await this.write({ group, key, origin: undefined }, { next: (current) => {
        if (!current || current.revision !== expected) throw conflict(group, key, { expected, is: current?.revision ?? 0 });
        return setTo(writeJson(current.value), { expiresAt: ms === undefined ? undefined : clock.now() + ms });
      } });
      return after as StateEntry;
    });
  }

  /** A page of large values ends early, with a cursor. */
  list(group: string, options?: StateListOptions): Promise<StatePage> {
    return this.runner.run('list', () => {
      const name = checkName('group', group);
      return boundedPage((paging) => this.adapter.list(name, paging), checkListOptions(options));
    });
  }

  listGroups(options?: StateListOptions): Promise<StateGroupPage> {
    return this.runner.run('listGroups', () => this.adapter.listGroups(checkListOptions(options)));
  }

  /** Each key that a trigger matches leaves a change. */
  clear(group: string, origin?: Origin): Promise<number> {
    return this.runner.run('clear', async () => {
      const name = checkName('group', group);
      const clearing = this.changes.clearing(name, origin);
      if (!clearing) return this.adapter.clear(name);
      return this.adapter.clear(name, clearing).finally(() => this.changes.recorded());
    });
  }

  private store(target: Target, value: Json, ttl: StateSetOptions['ttlMs']): Promise<{ readonly stored: WrittenJson; readonly after: StateEntry }> {
    return this.runner.run('set', async (clock) => {
      const stored = writeJson(value);
      const ttlMs = checkTtl(ttl);
      const expiresAt = ttlMs === undefined ? undefined : clock.now() + ttlMs;
      const { after } = tell(target.origin, await this.write(target, always(setTo(stored, { expiresAt }))));
      return { stored, after: after as StateEntry };
    });
  }

  private write(target: Target, deciding: Deciding): Promise<Noted> {
    const [group, key] = [checkName('group', target.group), checkName('key', target.key)];
    const recording = this.changes.recording(group, key, target.origin);
    const written = this.adapter.write({ group, key, ...deciding, ...recording });
    const { history } = this;
    const noted = history && (history.wanted || target.byHand) ? written.then((result) => noteWrite(history, target, result)) : written;
    // Also when it failed: whether the change was stored may not be known.
    return recording.recordChange ? noted.finally(() => this.changes.recorded()) : noted;
  }
}

/** What did not change anything is no write. */
function noteWrite(history: StateHistory, { group, key, origin, byHand }: Target, written: StateWriteResult): Noted {
  const { before, after } = written;
  const { traceId, step } = (origin ?? {}) as Partial<StepOrigin>;
  if (before?.revision === after?.revision) return written;
  return { ...written, change: history.note({ group, key, before, after, ...step !== undefined && { step }, ...traceId !== undefined && { traceId } }, byHand) };
}

/** With the id of the change in the history; absent: it is not there. */
type Noted = StateWriteResult & { readonly change?: number };

function tell<T extends { readonly before?: StateEntry | undefined; readonly after?: StateEntry | undefined }>(origin: Origin | undefined, known: T): T {
  if (origin !== undefined && 'told' in origin) (origin as ToldOrigin).told = { before: known.before?.revision, after: known.after?.revision };
  return known;
}

/** What is decided whatever there is: a store behind a network need not read first. */
function always(decision: StateDecision): Deciding {
  return { next: () => decision, always: decision };
}

function decision(current: StateEntry | undefined, made: WrittenJson | undefined): StateDecision {
  if (made !== undefined) return setTo(made, { keepExpiry: true });
  return { action: current ? 'delete' : 'keep' };
}

function conflict(group: string, key: string, revision: { readonly expected: number; readonly is: number }): OperationError {
  const has = revision.is === 0 ? 'does not exist' : `has revision ${revision.is}`;
  return stateError('StateConflict', `key "${key}" of group "${group}" ${has}, not revision ${revision.expected}`);
}

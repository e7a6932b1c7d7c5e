import {
  type Clock, type Json, OperationError, type StateAdapter, type StateDecision, type StateEntry, type StateGroupPage, type StateListOptions,
  type StatePage, type StatePort, type StateWrite, type UpdateOperation,
} from '@treadle/api';
import { applyUpdate } from './apply-update.js';
import { boundedPage } from './bounded-page.js';
import { toJson } from './json-value.js';
import { checkListOptions, checkName, checkRevision, checkTtl } from './state-arguments.js';
import { stateError } from './state-errors.js';
import { checkOperations } from './update-operation.js';

/** Verbs of the state operations. */
export type StateVerb = keyof StatePort;

/** Told of each operation that has ended. `ms`: how long it took. The one place where telemetry attaches. */
export type StateObserver = (verb: StateVerb, outcome: { readonly ms: number; readonly error?: OperationError }) => void;

type Next = StateWrite['next'];

/** What may be stored and how it changes; where it is kept is the adapter's. */
export class StateService implements StatePort {
  observer: StateObserver | undefined;

  private clock: Clock | undefined;

  constructor(private readonly adapter: StateAdapter) {}

  /** Serves from now on; before it everything is refused with `StateUnavailable`. */
  open(clock: Clock): void {
    this.clock = clock;
  }

  async get(group: string, key: string): Promise<Json> {
    const entry = await this.run('get', () => this.adapter.get(checkName('group', group), checkName('key', key)));
    return entry ? entry.value : null;
  }

  async getEntry(group: string, key: string): Promise<StateEntry | null> {
    const entry = await this.run('getEntry', () => this.adapter.get(checkName('group', group), checkName('key', key)));
    return entry ?? null;
  }

  set(group: string, key: string, value: Json, options?: { readonly ttlMs?: number }): Promise<Json> {
    return this.run('set', async (clock) => {
      const stored = toJson(value);
      const ttlMs = checkTtl(options?.ttlMs);
      const expiresAt = ttlMs === undefined ? undefined : clock.now() + ttlMs;
      await this.write(group, key, () => ({ action: 'set', value: stored, expiresAt }));
      return stored;
    });
  }

  delete(group: string, key: string): Promise<void> {
    return this.run('delete', async () => {
      await this.write(group, key, (current) => ({ action: current ? 'delete' : 'keep' }));
    });
  }

  /** Atomic per key. An update that removes the whole value deletes the key and gives `null` with the last revision. */
  update(group: string, key: string, operations: readonly UpdateOperation[]): Promise<StateEntry> {
    return this.run('update', async () => {
      const checked = checkOperations(operations);
      const { before, after } = await this.write(group, key, (current) => {
        if (checked.length === 0) return { action: 'keep' };
        return decision(current, applyUpdate(current?.value, checked));
      });
      return after ?? { value: null, revision: before?.revision ?? 0 };
    });
  }

  /** Revision 0: there must be no entry. A time to live goes on running. */
  compareAndSet(group: string, key: string, revision: number, value: Json): Promise<StateEntry> {
    return this.run('compareAndSet', async () => {
      const stored = toJson(value);
      const expected = checkRevision(revision);
      const { after } = await this.write(group, key, (current) => {
        const is = current?.revision ?? 0;
        if (is !== expected) throw conflict(group, key, { expected, is });
        return { action: 'set', value: stored, keepExpiry: true };
      });
      return after as StateEntry;
    });
  }

  /** A page of large values ends early, with a cursor. */
  list(group: string, options?: StateListOptions): Promise<StatePage> {
    return this.run('list', () => {
      const name = checkName('group', group);
      return boundedPage((paging) => this.adapter.list(name, paging), checkListOptions(options));
    });
  }

  listGroups(options?: StateListOptions): Promise<StateGroupPage> {
    return this.run('listGroups', () => this.adapter.listGroups(checkListOptions(options)));
  }

  clear(group: string): Promise<number> {
    return this.run('clear', () => this.adapter.clear(checkName('group', group)));
  }

  /** No trigger kind is served yet, so no change is kept for one. */
  private write(group: string, key: string, next: Next): ReturnType<StateAdapter['write']> {
    return this.adapter.write({ group: checkName('group', group), key: checkName('key', key), next, recordChange: false });
  }

  private async run<T>(verb: StateVerb, work: (clock: Clock) => Promise<T>): Promise<T> {
    const { clock, observer } = this;
    if (!clock) throw stateError('StateUnavailable', `state.${verb} was refused: the state module has not started`);
    const began = observer ? clock.monotonic() : 0;
    try {
      const result = await work(clock);
      observer?.(verb, { ms: clock.monotonic() - began });
      return result;
    } catch (cause) {
      const error = cause instanceof OperationError ? cause : unavailable(verb, cause);
      observer?.(verb, { ms: clock.monotonic() - began, error });
      throw error;
    }
  }
}

function decision(current: StateEntry | undefined, value: Json | undefined): StateDecision {
  if (value !== undefined) return { action: 'set', value, keepExpiry: true };
  return { action: current ? 'delete' : 'keep' };
}

function conflict(group: string, key: string, revision: { readonly expected: number; readonly is: number }): OperationError {
  const has = revision.is === 0 ? 'does not exist' : `has revision ${revision.is}`;
  return stateError('StateConflict', `key "${key}" of group "${group}" ${has}, not revision ${revision.expected}`);
}

function unavailable(verb: StateVerb, cause: unknown): OperationError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return stateError('StateUnavailable', `state.${verb} failed, and whether it took place is not known: ${reason}`, cause);
}

import type { Json, Operation, OperationSpec, StateListOptions, StatePort, UpdateOperation } from '@treadle/api';
import { stateError } from './state-errors.js';

/** As a well-behaved caller sends them; the state checks each one. */
interface Arguments extends StateListOptions {
  readonly group: string;
  readonly key: string;
  readonly value: Json;
  readonly ttlMs: number;
  readonly ops: readonly UpdateOperation[];
  readonly revision: number;
}

/** What handlers call through `ctx.state`: arguments as they come from any language, results as `ctx.state` types them. */
const OPERATIONS: Readonly<Record<string, { readonly summary: string; readonly run: (state: StatePort, args: Arguments) => Promise<unknown> }>> = {
  'state.get': { summary: 'The value of a key, or null', run: (state, { group, key }) => state.get(group, key) },
  'state.set': {
    summary: 'Stores a value, with a time to live if wanted',
    run: (state, { group, key, value, ttlMs }) => state.set(group, key, value, { ttlMs }),
  },
  'state.delete': { summary: 'Removes a key', run: (state, { group, key }) => state.delete(group, key) },
  'state.update': {
    summary: 'Changes a value atomically by a list of operations', run: (state, { group, key, ops }) => state.update(group, key, ops),
  },
  'state.list': { summary: 'Keys of a group with their values, page by page', run: (state, { group, ...options }) => state.list(group, options) },
  'state.listGroups': { summary: 'Groups that hold a key, page by page', run: (state, options) => state.listGroups(options) },
  'state.clear': { summary: 'Removes every key of a group', run: (state, { group }) => state.clear(group) },
  'state.getEntry': {
    summary: 'Key, value and revision, or null',
    run: async (state, { group, key }) => {
      const entry = await state.getEntry(group, key);
      return entry && { key, ...entry };
    },
  },
  'state.compareAndSet': {
    summary: 'Stores a value if the key still has a revision',
    run: (state, { group, key, revision, value }) => state.compareAndSet(group, key, revision, value),
  },
};

/** For the module's declaration. */
export const STATE_OPERATIONS: readonly OperationSpec[] = Object.entries(OPERATIONS).map(([name, { summary }]) => ({ name, summary }));

/** The operations over a state, by name. */
export function stateOperations(state: StatePort): readonly (readonly [name: string, operation: Operation])[] {
  return Object.entries(OPERATIONS).map(([name, { run }]) => [name, async (args) => {
    if (typeof args === 'object' && args !== null) return run(state, args as Arguments);
    throw stateError('StateInvalidArgument', `${name} takes an object of arguments`);
  }] as const);
}

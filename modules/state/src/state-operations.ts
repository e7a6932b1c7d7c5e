import {
  type AtomicRun, type Call, type Json, type Operation, type OperationSpans, type OperationSpec, type Origin, originOf, type StateListOptions, type StatePort, type UpdateOperation,
} from '@treadle/api';
import { stateError } from './state-errors.js';
import type { StateService, StepOrigin, ToldOrigin } from './state-service.js';
import { readRevision, spanAttributes, spanName } from './state-telemetry.js';

/** As a well-behaved caller sends them; the state checks each one. */
interface Arguments extends StateListOptions {
  readonly group: string;
  readonly key: string;
  readonly value: Json;
  readonly ttlMs: number;
  readonly ops: readonly UpdateOperation[];
  readonly revision: number;
}

/** The port, the read that tells what it found, and the write whose result goes back as it was written. */
export type WritingState = Omit<StatePort, 'set' | 'get'> & Pick<StateService, 'get' | 'put'>;

/** The state of the run that a call belongs to, which is kept until its end. */
export type AtomicStates = (run: AtomicRun, call: Call) => WritingState;

type Run = (state: WritingState, args: Arguments, origin: Origin) => Promise<unknown>;

interface StateOperation {
  readonly summary: string;
  readonly run: Run;
  /** Arguments and options, when the caller may write options: one that is misspelt must not pass for none. */
  readonly takes?: { readonly arguments: readonly string[]; readonly options: readonly string[] };
}

/** What handlers call through `ctx.state`: arguments as they come from any language, results as `ctx.state` types them. */
const OPERATIONS: Readonly<Record<string, StateOperation>> = {
  'state.get': { summary: 'The value of a key, or null', run: (state, { group, key }, origin) => state.get(group, key, origin) },
  'state.set': {
    summary: 'Stores a value, with a time to live if wanted',
    takes: { arguments: ['group', 'key', 'value'], options: ['ttlMs'] },
    run: (state, { group, key, value, ttlMs }, origin) => state.put(group, key, value, { ttlMs, origin }),
  },
  'state.delete': { summary: 'Removes a key', run: (state, { group, key }, origin) => state.delete(group, key, origin) },
  'state.update': {
    summary: 'Changes a value atomically by a list of operations',
    run: (state, { group, key, ops }, origin) => state.update(group, key, ops, origin),
  },
  'state.list': {
    summary: 'Keys of a group with their values, page by page',
    takes: { arguments: ['group'], options: ['prefix', 'limit', 'cursor'] },
    run: (state, { group, ...options }) => state.list(group, options),
  },
  'state.listGroups': {
    summary: 'Groups that hold a key, page by page',
    takes: { arguments: [], options: ['prefix', 'limit', 'cursor'] },
    run: (state, options) => state.listGroups(options),
  },
  'state.clear': { summary: 'Removes every key of a group', run: (state, { group }, origin) => state.clear(group, origin) },
  'state.getEntry': {
    summary: 'Key, value and revision, or null',
    run: async (state, { group, key }) => {
      const entry = await state.getEntry(group, key);
      return entry && { key, ...entry };
    },
  },
  'state.compareAndSet': {
    summary: 'Stores a value if the key still has a revision',
    run: (state, { group, key, revision, value }, origin) => state.compareAndSet(group, key, { revision, value }, origin),
  },
};

/** For the module's declaration. */
export const STATE_OPERATIONS: readonly OperationSpec[] = Object.entries(OPERATIONS).map(([name, { summary }]) => ({ name, summary, bare: true }));

/** The operations over a state, by name; with a span each when there is somebody to write them. */
export function stateOperations(state: WritingState, spans?: OperationSpans, atomic?: AtomicStates): readonly (readonly [name: string, operation: Operation])[] {
  return Object.entries(OPERATIONS).map(([name, declared]) => {
    const plain = operationOver(name, declared, spans);
    return [name, (args, { call }) => {
      const { atomic: run } = call.request;
      return run && atomic ? run.within(() => plain(atomic(run, call), args, call)) : plain(state, args, call);
    }] as const;
  });
}

function operationOver(name: string, { run, takes }: StateOperation, spans: OperationSpans | undefined): (state: WritingState, args: unknown, call: Call) => Promise<unknown> {
  const span = spanName(name);
  return async (state, args, call) => {
    if (typeof args !== 'object' || args === null) throw stateError('StateInvalidArgument', `${name} takes an object of arguments`);
    const given = args as Arguments;
    if (takes) checkOptions(name, given, takes);
    if (!spans) return run(state, given, { ...originOf(call), step: call.request.step } as StepOrigin);
    let told: ToldOrigin | undefined;
    const work = (origin: Origin): Promise<unknown> => {
      told = { ...origin, told: undefined, step: call.request.step };
      return run(state, given, told);
    };
    return spans.run(call, span, work, (result) => spanAttributes(name, given, told?.told ?? readRevision(result)));
  };
}

function checkOptions(name: string, given: object, takes: NonNullable<StateOperation['takes']>): void {
  for (const option in given) {
    if (takes.options.includes(option) || takes.arguments.includes(option)) continue;
    throw stateError('StateInvalidArgument', `${name} has no option "${option}"; it takes ${takes.options.join(', ')}`);
  }
}

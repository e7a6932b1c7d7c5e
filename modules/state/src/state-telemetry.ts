import type { Attributes, CounterSeries, Emits, HistogramSeries, Telemetry } from '@treadle/api';
import type { Revisions, StateObserver, StateVerb } from './state-service.js';

const DURATION = { description: 'How long state operations took', unit: 's' };
const COUNT = { description: 'State operations by type: get, set, update, delete', unit: '{operation}' };
/** For the module's declaration. */
export const STATE_EMITS: Emits = {
  spans: ['get', 'set', 'update', 'delete', 'list'].map((verb) => ({ name: `state.${verb}`, description: 'An operation that a handler asked for' })),
  metrics: [{ name: 'state.operation.duration', ...DURATION }, { name: 'state.operation.count', ...COUNT }],
};

/** Longest part of a key in an attribute, in characters. */
const MAX_NAME = 256;

/** As what an operation counts. */
const TYPES: Readonly<Record<StateVerb, 'get' | 'set' | 'update' | 'delete'>> = {
  get: 'get', getEntry: 'get', list: 'get', listGroups: 'get', set: 'set', compareAndSet: 'set', update: 'update', delete: 'delete', clear: 'delete',
};

/** Name of an operation's span: its own verb only where the specification has one. */
export function spanName(operation: string): string {
  const verb = operation.slice('state.'.length) as StateVerb;
  return verb === 'list' || verb === 'listGroups' ? 'state.list' : `state.${TYPES[verb]}`;
}

/** The revision that an operation gave back, as what it left: a reader's, and a writer's of a state that tells no more. */
export function readRevision(result: unknown): Revisions {
  const { revision } = (result ?? {}) as { readonly revision?: unknown };
  return { before: undefined, after: typeof revision === 'number' ? revision : undefined };
}

/** What a span says of an operation. */
export function spanAttributes(operation: string, args: { readonly group?: unknown; readonly key?: unknown }, { before, after }: Revisions): Attributes {
  const { group, key } = args;
  return {
    'state.operation': operation.slice('state.'.length),
    ...(typeof group === 'string' && { 'state.group': group.slice(0, MAX_NAME) }),
    ...(typeof key === 'string' && { 'state.key': key.slice(0, MAX_NAME) }),
    ...(before !== undefined && { 'state.rev.before': before }),
    ...(after !== undefined && { 'state.rev.after': after }),
  };
}

interface Series {
  readonly duration: HistogramSeries;
  readonly count: CounterSeries;
}

/** Counts and times every operation, whoever asked for it. */
export function stateMetrics(telemetry: Telemetry): StateObserver {
  const series = new Map<string, Series>();
  return (verb, { ms, error }) => {
    const key = error ? `${verb} error` : verb;
    let found = series.get(key);
    if (!found) {
      const labels = Object.freeze({ type: TYPES[verb], outcome: error ? 'error' : 'ok' });
      found = { duration: telemetry.histogram('state.operation.duration', labels, DURATION), count: telemetry.counter('state.operation.count', labels, COUNT) };
      series.set(key, found);
    }
    found.duration.record(ms / 1000);
    found.count.add(1);
  };
}

import { type CommitPart, type DeclaredTriggerKind, QueueSlot, StateSlot, StreamSlot, type TriggerKindSpec } from '@treadle/api';
import type { EnginePlan, PlannedAdapter } from '../planned.js';

/** What of a plan says where things are kept. */
export type PlannedParts = Pick<EnginePlan, 'entries' | 'dataDir'>;

type Refusal = DeclaredTriggerKind['notAtomic'];

/** What has to be in the queue's store, where it is loaded. */
const PARTS: readonly (readonly [slot: string, part: CommitPart])[] = [[StateSlot.id, 'state'], [StreamSlot.id, 'stream']];

const UNQUEUED: Readonly<Record<string, { readonly problem: string; readonly remedy: string }>> = {
  http: {
    problem: 'a request has no acknowledgement that its writes could be committed with',
    remedy: 'remove "atomic", or let this Step enqueue one message to a Step with "atomic" that does the rest',
  },
  cron: {
    problem: 'a run of cron is no delivery of the queue: its end is kept apart from state, streams and messages',
    remedy: 'remove "atomic", or let this Step enqueue one message, with the time of the tick as its dedupeKey, to a Step with "atomic"',
  },
};

/** Why a kind's triggers cannot be those of a Step with `atomic: true`: by what the kind is, and by where the plan keeps things. */
export function notAtomicOf(plan: PlannedParts): (kind: TriggerKindSpec) => Refusal {
  let ofStores: Refusal | null = null;
  return (kind) => {
    if (kind.queued !== true && kind.deliveryKey === undefined) return UNQUEUED[kind.type] ?? { problem: 'it is not delivered by the queue', remedy: 'remove "atomic"' };
    if (ofStores === null) ofStores = refusalOf(plan);
    return ofStores;
  };
}

/** Position of an adapter in the configuration. */
export function placeOf({ at, path }: PlannedAdapter['instance']): string {
  if (!at) return path;
  return [at.file, at.line, at.column].filter((part) => part !== undefined).join(':');
}

function refusalOf({ entries, dataDir }: PlannedParts): Refusal {
  const adapters = entries.flatMap((entry) => entry.adapters).filter(({ within }) => within === undefined);
  const queue = adapters.find(({ spec }) => spec.slot.id === QueueSlot.id);
  if (!queue) return undefined;
  const commit = (queue.capabilities as { readonly commit?: readonly CommitPart[] } | undefined)?.commit ?? [];
  if (!commit.includes('settle') || !commit.includes('enqueue')) {
    return {
      problem: `${named(queue)} cannot commit what a handler writes together with the acknowledgement`,
      remedy: `give ${queue.instance.path} a class that can, e.g. modules::queue::adapters::Sqlite, or remove "atomic"`,
    };
  }
  const store = storeOf(queue, dataDir);
  for (const [slot, part] of PARTS) {
    const other = adapters.find((adapter) => adapter.spec.slot.id === slot && !(commit.includes(part) && storeOf(adapter, dataDir) === store));
    if (!other) continue;
    return {
      problem: `${part === 'state' ? 'state is' : 'streams are'} kept by ${named(other)}, which does not share a store with ${named(queue)}`,
      remedy: `let ${other.instance.path} and ${queue.instance.path} have the same store in the configuration, or remove "atomic"`,
    };
  }
  return undefined;
}

const named = ({ spec, instance }: PlannedAdapter): string => `${spec.id} (${placeOf(instance)})`;

/** Adapters that do not say where they keep things share a store with nobody. */
const storeOf = ({ spec, config, instance }: PlannedAdapter, dataDir: string): string => spec.store?.(config, dataDir) ?? instance.path;

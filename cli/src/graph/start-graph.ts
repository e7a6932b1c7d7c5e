import { formatLocation } from '@treadle/api';
import type { EnginePlan, PlannedEntry } from '@treadle/kernel';

/** The modules of a configuration in start order. */
export interface StartGraph {
  /** How the configuration is called. */
  readonly config: string;
  readonly modules: readonly GraphModule[];
}

/** A module that will be started. */
export interface GraphModule {
  /** From 1, in start order. */
  readonly order: number;
  readonly instance: string;
  readonly class: string;
  /** Its alias in the file. */
  readonly servedAs?: string;
  /** Where the file names it; absent when it was added. */
  readonly at?: string;
  /** Added because the file does not name it. */
  readonly implicit: boolean;
  readonly provides: readonly string[];
  readonly needs: readonly { readonly port: string; readonly from: readonly number[] }[];
  /** Trigger kinds that it serves. */
  readonly triggers: readonly string[];
  readonly adapters: readonly { readonly slot: string; readonly class: string; readonly at?: string }[];
}

/** The graph of a plan. @param config how the configuration is called */
export function startGraph(plan: EnginePlan, config: string): StartGraph {
  const modules = plan.entries.map((entry, index) => graphModule(entry, index + 1, plan.entries));
  return { config, modules };
}

function graphModule(entry: PlannedEntry, order: number, all: readonly PlannedEntry[]): GraphModule {
  const { instance, implicit, servedAs, provides, needs, spec, adapters } = entry;
  return {
    order, instance: instance.id, class: instance.classId, implicit, provides,
    ...(servedAs === undefined ? {} : { servedAs }), ...place(implicit ? undefined : instance.at),
    needs: needs.map((port) => ({ port, from: providers(port, all) })),
    triggers: (spec.triggerKinds ?? []).map((kind) => kind.type),
    adapters: adapters.map((adapter) => ({
      slot: adapter.slot, class: adapter.instance.classId, ...place(writtenAt(adapter.instance.at, entry)),
    })),
  };
}

/** Where the file writes an adapter; one that is there by default has the place of its module. */
function writtenAt(at: Place, { implicit, instance }: PlannedEntry): Place {
  const isDefault = at?.line === instance.at?.line && at?.column === instance.at?.column;
  return implicit || isDefault ? undefined : at;
}

function providers(port: string, all: readonly PlannedEntry[]): readonly number[] {
  return all.flatMap((entry, index) => (entry.provides.includes(port) ? [index + 1] : []));
}

type Place = PlannedEntry['instance']['at'];

function place(at: Place): { at?: string } {
  return at === undefined ? {} : { at: formatLocation(at) };
}

import type { AdapterSpec, Ctor, Lifecycle } from '@treadle/api';
import type { EnginePlan, PlannedAdapter, PlannedEntry } from '@treadle/kernel';
import { isolated } from '../test-config.js';

/** Modules that a test has no use for. */
const LEFT_OUT = new Set(['modules::console::ConsoleModule']);
/** Slots whose data is kept in memory, by the adapter that does so. */
const IN_MEMORY: Readonly<Record<string, string>> = {
  'modules::queue::QueueModule': 'modules::queue::adapters::Sqlite',
  'modules::state::StateModule': 'modules::state::adapters::Sqlite',
  'modules::stream::StreamModule': 'modules::stream::adapters::Sqlite',
  'modules::cron::CronModule': 'modules::cron::adapters::Sqlite',
};
/** How long stopping waits for handlers that do not end; milliseconds. */
const DRAIN_MS = 500;

/** The classes of one test engine that take the places of others. */
export interface Substitutes {
  readonly runtime: Ctor<Lifecycle>;
  readonly queue: (spec: AdapterSpec) => Ctor<Lifecycle>;
  readonly stream: (spec: AdapterSpec) => Ctor<Lifecycle>;
  readonly cron: (target: Ctor<Lifecycle>) => Ctor<Lifecycle>;
  readonly telemetry: Ctor<Lifecycle>;
  /** Class IDs of modules that the test does without. */
  readonly without: readonly string[];
}

/**
 * An application's plan as a test runs it: the same modules with the same settings, on free ports of this machine, with everything
 * that is stored in memory, Steps in this process and nothing sent anywhere.
 */
export function testPlan(plan: EnginePlan, scratch: string, substitutes: Substitutes): EnginePlan {
  const running = plan.entries.filter(({ spec }) => !LEFT_OUT.has(spec.id));
  refuseUnknown(running, substitutes.without);
  const entries = running.map((entry) => (substitutes.without.includes(entry.spec.id) ? inert(entry) : entryFor(entry, plan, substitutes)));
  const settings = { ...plan.settings, drain_delay_ms: 0, drain_timeout_ms: DRAIN_MS };
  return isolated({ ...plan, entries: entries.map(local), settings, mode: 'development' }, scratch);
}

/** Declares its trigger kinds and operations, and does nothing. */
function inert(entry: PlannedEntry): PlannedEntry {
  return { ...entry, spec: { ...entry.spec, provides: [] }, target: class Absent {}, adapters: [], provides: [], needs: [] };
}

function refuseUnknown(entries: readonly PlannedEntry[], without: readonly string[]): void {
  const known: readonly string[] = entries.map(({ spec }) => spec.id);
  for (const id of without) {
    if (!known.includes(id)) throw new Error(`"without" names ${id}, which the configuration does not have; it has ${known.join(', ')}`);
  }
}

function entryFor(entry: PlannedEntry, plan: EnginePlan, substitutes: Substitutes): PlannedEntry {
  switch (entry.spec.id) {
    case 'modules::steps::StepsModule': return withRuntime(entry, plan, substitutes.runtime);
    case 'modules::observability::OtelModule': return { ...entry, target: substitutes.telemetry, needs: [] };
    case 'modules::queue::QueueModule': return inMemory(entry, plan, substitutes.queue);
    case 'modules::stream::StreamModule': return inMemory(entry, plan, substitutes.stream);
    case 'modules::cron::CronModule': return { ...inMemory(entry, plan), target: substitutes.cron(entry.target) };
    default: return inMemory(entry, plan);
  }
}

function withRuntime(entry: PlannedEntry, plan: EnginePlan, target: Ctor<Lifecycle>): PlannedEntry {
  const runtime = adapterOf(entry, plan, { slot: 'runtimes', classId: 'modules::runtime::adapters::InProcess' });
  return { ...entry, adapters: [{ ...runtime, target, many: true }], config: Object.freeze({ ...entry.config, discover: true, port: false }) };
}

function inMemory(entry: PlannedEntry, plan: EnginePlan, target?: Substitutes['queue']): PlannedEntry {
  const classId = IN_MEMORY[entry.spec.id];
  if (classId === undefined) return entry;
  const adapter = adapterOf(entry, plan, { slot: 'adapter', classId });
  return { ...entry, adapters: [target ? { ...adapter, target: target(adapter.spec) } : adapter] };
}

/** An adapter of the distribution in the place of the one that is configured. */
function adapterOf(entry: PlannedEntry, { registry }: EnginePlan, wanted: { readonly slot: string; readonly classId: string }): PlannedAdapter {
  const { slot, classId } = wanted;
  const found = registry.find(classId);
  if (found?.kind !== 'adapter') throw new Error(`the engine does not bring ${classId}`);
  const { spec, target, package: { name, version } } = found;
  const config = Object.freeze(spec.variants['in_memory'] ?? {}) as PlannedAdapter['config'];
  const { path } = entry.instance;
  return {
    instance: { id: spec.id, classId: spec.id, path: `${path}.config.${slot}`, package: name, version },
    spec, target, slot, many: false, config,
    capabilities: typeof spec.capabilities === 'function' ? (spec.capabilities as (config: unknown) => unknown)(config) : spec.capabilities,
  };
}

/** Whatever the configuration says of addresses and ports; how busy the machine is plays no part, and the log is the application's. */
function local(entry: PlannedEntry): PlannedEntry {
  const { config } = entry;
  const changes = {
    ...typeof config['port'] === 'number' && { port: 0 }, ...typeof config['host'] === 'string' && { host: '127.0.0.1' },
    ...entry.spec.id === 'modules::http::HttpModule' && { max_event_loop_delay_ms: 60_000, access_log: false },
  };
  return { ...entry, config: Object.freeze({ ...config, ...changes }) };
}

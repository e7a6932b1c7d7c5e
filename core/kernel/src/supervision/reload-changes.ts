import type { EnginePlan, PlannedEntry } from '../planned.js';
import { isLiveSetting } from '../planning/live-settings.js';

/** An entry that goes over to another config without a restart. */
export interface Reconfiguration {
  readonly from: PlannedEntry;
  readonly to: PlannedEntry;
}

/** What a reload has to do; `stop` in the old, `start` and `reconfigure` in the new start order. */
export interface ReloadChanges {
  readonly stop: readonly PlannedEntry[];
  readonly start: readonly PlannedEntry[];
  readonly reconfigure: readonly Reconfiguration[];
  /** Ids of those that go on running as they are. */
  readonly unchanged: readonly string[];
  /** Why an entry is started anew: settings that it cannot take while it runs, ports whose provider is another one. */
  readonly reasons: Readonly<Record<string, readonly string[]>>;
}

/**
 * Compares two plans by instance: what is new, gone or different, and everything that depends on that. What can take its
 * change while it runs is left alone, and so is what depends on it. `before` has the entries that run.
 */
export function comparePlans(before: EnginePlan, after: EnginePlan): ReloadChanges {
  const old = byId(before);
  const next = byId(after);
  const facts = changedFacts(before, after);
  const ports = new Set<string>();
  const reasons = new Map<string, readonly string[]>();
  const affect = (id: string, why: readonly string[]): void => {
    reasons.set(id, why);
    for (const port of [...(old.get(id)?.provides ?? []), ...(next.get(id)?.provides ?? [])]) ports.add(port);
  };
  for (const id of new Set([...old.keys(), ...next.keys()])) {
    const [a, b] = [old.get(id), next.get(id)];
    if (!a || !b || facts.length > 0 || a.frame !== b.frame || a.target !== b.target) affect(id, [...facts, ...a && b ? fixedChanges(a, b) : []]);
  }
  for (let grown = true; grown;) {
    const dependents = [...before.entries, ...after.entries].filter(({ instance, needs }) =>
      !reasons.has(instance.id) && needs.some((port) => ports.has(port)));
    for (const { instance, needs } of dependents) affect(instance.id, needs.filter((port) => ports.has(port)));
    grown = dependents.length > 0;
  }
  return { ...changes(before, after, reasons), reasons: Object.fromEntries([...reasons].filter(([id]) => old.has(id) && next.has(id))) };
}

function changes(before: EnginePlan, after: EnginePlan, reasons: ReadonlyMap<string, unknown>): Omit<ReloadChanges, 'reasons'> {
  const old = byId(before);
  const kept = after.entries.filter(({ instance }) => !reasons.has(instance.id))
    .map((to) => ({ from: old.get(to.instance.id) as PlannedEntry, to }));
  const differs = ({ from, to }: Reconfiguration): boolean => from.fingerprint !== to.fingerprint;
  return {
    stop: before.entries.filter(({ instance }) => reasons.has(instance.id)),
    start: after.entries.filter(({ instance }) => reasons.has(instance.id)),
    reconfigure: kept.filter(differs),
    unchanged: kept.filter((pair) => !differs(pair)).map(({ to }) => to.instance.id),
  };
}

/** Settings with another value, those of adapters with the key of their slot; `version` when the class itself is another one. */
function fixedChanges(from: PlannedEntry, to: PlannedEntry): readonly string[] {
  const own = changedSettings(from, to).filter((key) => !isLiveSetting(to, key));
  const slots = Object.keys(to.spec.slots ?? {}).filter((slot) => adaptersIn(from, slot) !== adaptersIn(to, slot));
  const other = from.target !== to.target || from.instance.version !== to.instance.version;
  return [...own, ...slots, ...other ? ['version'] : []];
}

/** Keys of the config that have another value. */
export function changedSettings(from: PlannedEntry, to: PlannedEntry): readonly string[] {
  return [...new Set([...Object.keys(from.config), ...Object.keys(to.config)])]
    .filter((key) => JSON.stringify(from.config[key]) !== JSON.stringify(to.config[key]));
}

function adaptersIn({ adapters }: PlannedEntry, slot: string): string {
  return JSON.stringify(adapters.filter((adapter) => adapter.slot === slot || adapter.slot.startsWith(`${slot}.`))
    .map(({ spec, instance, config }) => [spec.id, instance.version, config]));
}

/** Every module may have looked at these. */
function changedFacts(before: EnginePlan, after: EnginePlan): readonly string[] {
  return (['root', 'dataDir', 'mode', 'application', 'configFile'] as const).filter((fact) => before[fact] !== after[fact]);
}

function byId(plan: EnginePlan): ReadonlyMap<string, PlannedEntry> {
  return new Map(plan.entries.map((entry) => [entry.instance.id, entry]));
}

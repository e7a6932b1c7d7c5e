import type { EnginePlan, PlannedEntry } from '../planned.js';

/** What a reload has to do; `stop` in the old, `start` in the new start order. */
export interface ReloadChanges {
  readonly stop: readonly PlannedEntry[];
  readonly start: readonly PlannedEntry[];
  /** Ids of those that go on running. */
  readonly unchanged: readonly string[];
}

/** Compares two plans by instance: what is new, gone or different, and everything that depends on that. */
export function comparePlans(before: EnginePlan, after: EnginePlan): ReloadChanges {
  const old = byId(before);
  const next = byId(after);
  const affected = new Set<string>();
  const ports = new Set<string>();
  const affect = (id: string): void => {
    affected.add(id);
    for (const port of [...(old.get(id)?.provides ?? []), ...(next.get(id)?.provides ?? [])]) ports.add(port);
  };
  for (const id of new Set([...old.keys(), ...next.keys()])) if (isDifferent(id, before, after, { old, next })) affect(id);
  for (let grown = true; grown;) {
    const dependents = [...before.entries, ...after.entries].filter((entry) =>
      !affected.has(entry.instance.id) && entry.needs.some((port) => ports.has(port)));
    for (const entry of dependents) affect(entry.instance.id);
    grown = dependents.length > 0;
  }
  return {
    stop: before.entries.filter((entry) => affected.has(entry.instance.id)),
    start: after.entries.filter((entry) => affected.has(entry.instance.id)),
    unchanged: after.entries.filter((entry) => !affected.has(entry.instance.id)).map((entry) => entry.instance.id),
  };
}

type ById = ReadonlyMap<string, PlannedEntry>;

function isDifferent(id: string, before: EnginePlan, after: EnginePlan, maps: { old: ById; next: ById }): boolean {
  const [a, b] = [maps.old.get(id), maps.next.get(id)];
  if (!a || !b || a.fingerprint !== b.fingerprint || a.target !== b.target) return true;
  // Every module may have looked at these.
  return (['root', 'dataDir', 'mode', 'application', 'configFile'] as const).some((fact) => before[fact] !== after[fact]);
}

function byId(plan: EnginePlan): ById {
  return new Map(plan.entries.map((entry) => [entry.instance.id, entry]));
}

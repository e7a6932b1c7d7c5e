import type { ModuleEntry } from '@treadle/config';
import type { RegisteredModule, Registry } from '../registry.js';

/** An entry of the effective list. */
export interface Candidate {
  readonly entry: ModuleEntry;
  /** Added because the file does not name it. */
  readonly implicit: boolean;
}

/**
 * The effective list: the file's enabled entries, then the default preset's entry of each built-in module that the file
 * does not name and whose port no listed module provides.
 */
export function compose(listed: readonly ModuleEntry[], preset: readonly ModuleEntry[], registry: Registry): Candidate[] {
  const enabled = listed.filter((entry) => entry.enabled);
  const named = new Set(listed.map((entry) => registry.find(entry.class)?.spec.id));
  const provided = new Set(enabled.flatMap((entry) => portsOf(registry.find(entry.class))));
  const missing = preset.filter((entry) => {
    const found = registry.find(entry.class);
    if (found?.kind !== 'module' || !found.builtin || named.has(found.spec.id)) return false;
    return !portsOf(found).some((port) => provided.has(port));
  });
  return [
    ...enabled.map((entry) => ({ entry, implicit: false })),
    ...missing.map((entry) => ({ entry: { ...entry, path: `default.${entry.path}` }, implicit: true })),
  ];
}

/** The default configuration itself: those of its modules that this distribution brings. */
export function composeDefault(preset: readonly ModuleEntry[], registry: Registry): Candidate[] {
  return preset.filter((entry) => entry.enabled && registry.find(entry.class)?.builtin === true)
    .map((entry) => ({ entry, implicit: false }));
}

function portsOf(found: ReturnType<Registry['find']>): string[] {
  if (found?.kind !== 'module') return [];
  return singlePorts(found);
}

function singlePorts(found: RegisteredModule): string[] {
  return (found.spec.provides ?? []).filter((port) => !port.many).map((port) => port.id);
}

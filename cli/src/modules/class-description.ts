import { nearestClass, treadleError, type AdapterSpec, type Emits, type ModuleSpec } from '@treadle/api';
import { isLiveSetting, type RegisteredClass } from '@treadle/kernel';
import { exampleYaml } from './example.js';
import { settingsOf, type Setting } from './settings.js';

/** Everything that `modules show` says of a class. */
export interface ClassDescription {
  readonly class: string;
  readonly aliases: readonly string[];
  readonly kind: 'module' | 'adapter';
  readonly summary: string;
  readonly stability: string;
  readonly since: string;
  readonly package: { readonly name: string; readonly version: string };
  readonly plugin: boolean;
  readonly settings: readonly Setting[];
  readonly provides: readonly string[];
  readonly slots: readonly { readonly key: string; readonly slot: string; readonly many: boolean; readonly optional: boolean; readonly default?: string | readonly string[] }[];
  readonly triggers: readonly { readonly type: string; readonly summary: string }[];
  readonly operations: readonly { readonly name: string; readonly summary: string }[];
  /** The slot that an adapter fits. */
  readonly slot?: string;
  /** Of an adapter: name of a variant → its capabilities. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly emits: Emits;
  /** A configuration file that validates. */
  readonly example: string;
}

/**
 * The class of an id or alias.
 * @throws {USAGE} with the nearest name when there is none
 */
export function findClass(name: string, classes: readonly RegisteredClass[]): RegisteredClass {
  const found = classes.find(({ spec }) => spec.id === name || spec.aliases?.some((alias) => alias === name));
  if (found) return found;
  const names = classes.flatMap(({ spec }) => [spec.id, ...(spec.aliases ?? [])]);
  const suggestion = nearestClass(name, names);
  const hint = suggestion ? `did you mean "${suggestion}"?` : '"treadle modules list" shows the classes';
  throw treadleError('USAGE', { message: `no loaded package provides class "${name}"`, hint });
}

/** Describes a class. @param classes all of them: the example of an adapter needs a module with its slot */
export function describeClass(entry: RegisteredClass, classes: readonly RegisteredClass[]): ClassDescription {
  const { id, aliases = [], summary, stability, since, config, emits = {} } = entry.spec;
  return {
    class: id, aliases, kind: entry.kind, summary, stability, since, package: entry.package, plugin: !entry.builtin,
    settings: settingsOf(config, (key) => entry.kind === 'module' && isLiveSetting(entry, key)), ...facesOf(entry), emits, example: exampleYaml(entry, classes),
  };
}

type Faces = Pick<ClassDescription, 'provides' | 'slots' | 'triggers' | 'operations' | 'slot' | 'capabilities'>;

function facesOf(entry: RegisteredClass): Faces {
  if (entry.kind === 'module') return moduleFaces(entry.spec);
  const nothing = { provides: [], triggers: [], operations: [] };
  return { ...nothing, slots: slotsOf(entry.spec), slot: entry.spec.slot.id, capabilities: capabilitiesOf(entry.spec) };
}

function moduleFaces(spec: ModuleSpec): Faces {
  return {
    provides: (spec.provides ?? []).map((port) => port.id),
    slots: slotsOf(spec),
    triggers: (spec.triggerKinds ?? []).map(({ type, summary }) => ({ type, summary })),
    operations: (spec.operations ?? []).map(({ name, summary }) => ({ name, summary })),
  };
}

function slotsOf({ slots = {} }: Pick<ModuleSpec, 'slots'>): ClassDescription['slots'] {
  return Object.entries(slots).map(([key, use]) => ({
    key, slot: use.slot.id, many: use.many ?? false, optional: use.optional ?? false, ...(use.default ? { default: use.default } : {}),
  }));
}

function capabilitiesOf({ capabilities, variants }: AdapterSpec): Readonly<Record<string, unknown>> {
  if (typeof capabilities !== 'function') return { default: capabilities };
  const ask = capabilities as (config: unknown) => unknown;
  return Object.fromEntries(Object.entries(variants).map(([name, config]) => [name, ask(config)]));
}

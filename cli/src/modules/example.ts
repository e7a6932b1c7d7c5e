import { injectionsOf, type ConfigSchema } from '@treadle/api';
import type { RegisteredClass, RegisteredModule } from '@treadle/kernel';
import { toYaml } from './yaml.js';

/**
 * A configuration file that validates and shows how a class is written: what it requires, and its everyday settings
 * with their defaults or examples. An adapter is shown in the first module that has its slot.
 */
export function exampleYaml(entry: RegisteredClass, classes: readonly RegisteredClass[]): string {
  const plugins = entry.builtin ? {} : { plugins: [entry.package.name] };
  const providers = [...providersFor(entry, classes)].map((provider) => moduleEntry(provider, classes));
  return toYaml({ ...plugins, modules: [moduleEntry(entry, classes), ...providers] });
}

/** Modules of plugins whose ports a class is injected with; built-in ones are added by the engine. */
function providersFor(
  { target }: RegisteredClass, classes: readonly RegisteredClass[], found = new Set<RegisteredModule>(),
): ReadonlySet<RegisteredModule> {
  for (const injection of injectionsOf(target)) {
    if (injection?.kind !== 'token' || injection.optional || injection.token.many) continue;
    const { id } = injection.token;
    const provider = classes.find((entry): entry is RegisteredModule =>
      entry.kind === 'module' && !entry.builtin && (entry.spec.provides ?? []).some((port) => port.id === id));
    if (!provider || found.has(provider)) continue;
    found.add(provider);
    providersFor(provider, classes, found);
  }
  return found;
}

function moduleEntry(entry: RegisteredClass, classes: readonly RegisteredClass[]): object {
  if (entry.kind === 'module') return classEntry(entry.spec.id, { ...exampleConfig(entry.spec.config), ...neededAdapters(entry, classes) });
  const own = classEntry(entry.spec.id, { ...exampleConfig(entry.spec.config), ...neededAdapters(entry, classes) });
  for (const host of hosts(classes)) {
    const place = Object.entries(host.spec.slots ?? {}).find(([, use]) => use.slot.id === entry.spec.slot.id);
    if (!place) continue;
    const [key, use] = place;
    return classEntry(host.spec.id, { ...neededAdapters(host, classes), [key]: use.many ? [own] : own });
  }
  return own;
}

/** Modules that adapters may be shown in; those of the distribution first, as an example should need no other package. */
function hosts(classes: readonly RegisteredClass[]): readonly RegisteredModule[] {
  const modules = classes.filter((candidate): candidate is RegisteredModule => candidate.kind === 'module');
  return [...modules.filter((host) => host.builtin), ...modules.filter((host) => !host.builtin)];
}

/** What a class cannot do without and has no default for: the first adapter that fits, and needs no other one. */
function neededAdapters({ spec }: Pick<RegisteredClass, 'spec'>, classes: readonly RegisteredClass[]): Record<string, unknown> {
  const needed: Record<string, unknown> = {};
  for (const [key, use] of Object.entries(spec.slots ?? {})) {
    const fitting = classes.find((entry) => entry.kind === 'adapter' && entry.spec.slot.id === use.slot.id && !entry.spec.slots);
    if (!fitting || use.optional || use.default || spec.config.properties?.[key]?.examples) continue;
    const adapter = classEntry(fitting.spec.id, exampleConfig(fitting.spec.config));
    needed[key] = use.many ? [adapter] : adapter;
  }
  return needed;
}

function classEntry(id: string, config: Readonly<Record<string, unknown>>): object {
  return Object.keys(config).length > 0 ? { class: id, config } : { class: id };
}

function exampleConfig(schema: ConfigSchema): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const required = schema.required?.includes(key) ?? false;
    if (!required && !isEveryday(property)) continue;
    config[key] = exampleValue(property);
  }
  return config;
}

/** Worth showing although nobody has to write it. */
function isEveryday(schema: ConfigSchema): boolean {
  if (schema['x-advanced'] || schema['x-deprecated'] || schema['x-secret'] || schema['x-slot']) return false;
  const value = schema.examples?.[0] ?? schema.default;
  return value !== undefined && value !== null && (typeof value !== 'object');
}

function exampleValue(schema: ConfigSchema): unknown {
  const given = schema.examples?.[0] ?? schema.default ?? schema.const ?? schema.enum?.[0];
  if (given !== undefined) return given;
  const choice = schema.anyOf?.[0] ?? schema.oneOf?.[0];
  if (choice) return exampleValue(choice);
  if (schema.type === 'object') return exampleConfig(schema);
  if (schema.type === 'array') return [exampleValue(schema.items ?? {})];
  if (schema.type === 'boolean') return true;
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? schema.maximum ?? 1;
  return 'text';
}

import type { ConfigSchema } from '@treadle/api';
import type { RegisteredClass } from '@treadle/kernel';
import { toYaml } from './yaml.js';

/**
 * A configuration file that validates and shows how a class is written: what it requires, and its everyday settings
 * with their defaults or examples. An adapter is shown in the first module that has its slot.
 */
export function exampleYaml(entry: RegisteredClass, classes: readonly RegisteredClass[]): string {
  const plugins = entry.builtin ? {} : { plugins: [entry.package.name] };
  return toYaml({ ...plugins, modules: [moduleEntry(entry, classes)] });
}

function moduleEntry(entry: RegisteredClass, classes: readonly RegisteredClass[]): object {
  const own = classEntry(entry.spec.id, entry.spec.config);
  if (entry.kind === 'module') return own;
  const { id } = entry.spec.slot;
  for (const host of classes) {
    const slots = host.kind === 'module' ? Object.entries(host.spec.slots ?? {}) : [];
    const place = slots.find(([, use]) => use.slot.id === id);
    if (place) return { class: host.spec.id, config: { [place[0]]: place[1].many ? [own] : own } };
  }
  return own;
}

function classEntry(id: string, schema: ConfigSchema): object {
  const config = exampleConfig(schema);
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

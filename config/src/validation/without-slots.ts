import type { ConfigSchema } from '@treadle/api';

const stripped = new WeakMap<ConfigSchema, Map<string, ConfigSchema>>();

/** The schema of a config whose adapter entries are taken out; the same object each time, so that it compiles once. */
export function withoutSlots(schema: ConfigSchema, slotKeys: readonly string[]): ConfigSchema {
  if (slotKeys.length === 0) return schema;
  const bySlots = stripped.get(schema) ?? new Map<string, ConfigSchema>();
  stripped.set(schema, bySlots);
  const key = slotKeys.join('\n');
  const result = bySlots.get(key) ?? strip(schema, slotKeys);
  bySlots.set(key, result);
  return result;
}

function strip(schema: ConfigSchema, slotKeys: readonly string[]): ConfigSchema {
  const properties = Object.entries(schema.properties ?? {}).filter(([key]) => !slotKeys.includes(key));
  const { required, ...rest } = schema;
  const still = required?.filter((key) => !slotKeys.includes(key));
  return { ...rest, properties: Object.fromEntries(properties), ...(still && { required: still }) };
}

import type { ConfigSchema } from './config-schema.js';

/** Says whether a value fits a schema. */
export type FitsSchema = (value: unknown, schema: ConfigSchema) => boolean;

/**
 * The keys of an object that fit its schema, so that further checks can run although others do not. An inner object loses only
 * its own faulty keys, unless it needs one of them. Required keys may be missing.
 */
export function soundKeys(value: Readonly<Record<string, unknown>>, schema: ConfigSchema, fits: FitsSchema): Readonly<Record<string, unknown>> {
  const known = schema.properties ?? {};
  const kept = Object.entries(value).flatMap(([key, item]) => {
    const rule = Object.hasOwn(known, key) ? known[key] : schema.additionalProperties;
    if (rule === false) return [];
    const part = typeof rule === 'object' ? soundPart(item, rule, fits) : item;
    return part === undefined ? [] : [[key, part] as const];
  });
  return Object.fromEntries(kept);
}

function soundPart(value: unknown, schema: ConfigSchema, fits: FitsSchema): unknown {
  if (fits(value, schema)) return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const part = soundKeys(value as Readonly<Record<string, unknown>>, schema, fits);
  return fits(part, schema) ? part : undefined;
}

import type { ConfigSchema } from '@treadle/api';
import type { JsonType } from '../coerce.js';

/** The schema and all that are applied to the same value, branches of `anyOf` and `if` included: what may apply. */
export function possible(schema: ConfigSchema): readonly ConfigSchema[] {
  const { allOf = [], anyOf = [], oneOf = [] } = schema;
  const branches = [...allOf, ...anyOf, ...oneOf, schema.then, schema.else].filter((branch) => branch !== undefined);
  return [schema, ...branches.flatMap(possible)];
}

/** The schema and those that apply in any case. */
export function certain(schema: ConfigSchema): readonly ConfigSchema[] {
  return [schema, ...(schema.allOf ?? []).flatMap(certain)];
}

/** Types that a value of these schemas may have; empty when nothing is said. A schema's own types count before its branches'. */
export function typesOf(schemas: readonly ConfigSchema[]): ReadonlySet<JsonType> {
  return new Set(schemas.flatMap(typesOfOne));
}

function typesOfOne(schema: ConfigSchema): readonly JsonType[] {
  if (schema.type !== undefined) return [schema.type].flat() as JsonType[];
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  if (values.length > 0) return values.map(jsonTypeOf);
  return possible(schema).slice(1).flatMap(typesOfOne);
}

/** Type of a JSON value; a whole number is an `integer`. */
export function jsonTypeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as 'string' | 'boolean' | 'object';
}

/** Schemas of a key's value. */
export function schemasOfKey(schemas: readonly ConfigSchema[], key: string): readonly ConfigSchema[] {
  return schemas.flatMap(possible).flatMap((schema) => {
    const own = schema.properties && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
    if (own) return [own];
    return typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : [];
  });
}

/** Schemas of a list's items. */
export function schemasOfItems(schemas: readonly ConfigSchema[]): readonly ConfigSchema[] {
  return schemas.flatMap(possible).flatMap(({ items }) => (items && !Array.isArray(items) ? [items] : []));
}

/** Keys that the schemas name. */
export function namedKeys(schemas: readonly ConfigSchema[]): readonly string[] {
  return [...new Set(schemas.flatMap(possible).flatMap(({ properties = {} }) => Object.keys(properties)))];
}

/**
 * True when other keys than the named ones are allowed: `additionalProperties` says so, or nothing at all is said of a
 * map inside the config. A config itself takes only what its schema names.
 */
export function takesAnyKey(schemas: readonly ConfigSchema[], isRoot: boolean): boolean {
  const all = schemas.flatMap(possible);
  if (all.some(allowsMore)) return true;
  const isSilent = all.every((schema) => schema.properties === undefined && schema.additionalProperties === undefined);
  return isSilent && !isRoot;
}

/** Keywords beyond `ConfigSchema` that a third party's schema may hold; ajv checks them. */
const OPENING_KEYWORDS = ['patternProperties', '$ref'];

function allowsMore(schema: ConfigSchema): boolean {
  const allowed = schema.additionalProperties;
  return allowed === true || typeof allowed === 'object' || OPENING_KEYWORDS.some((keyword) => keyword in schema);
}

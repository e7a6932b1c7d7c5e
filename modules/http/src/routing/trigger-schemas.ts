import { describedSchema } from '@treadle/json';

/** Names of the properties for which a query schema asks for an array. */
export function arrayProperties(schema: object | boolean): ReadonlySet<string> {
  const names = new Set<string>();
  const properties = (schema as { properties?: unknown }).properties;
  if (typeof properties !== 'object' || properties === null) return names;
  for (const [name, property] of Object.entries(properties)) if (asksForArray(property, schema, 0)) names.add(name);
  return names;
}

function asksForArray(schema: unknown, root: object | boolean, depth: number): boolean {
  if (typeof schema !== 'object' || schema === null || depth > 8) return false;
  const { type, $ref, anyOf, oneOf, allOf, items, prefixItems } = schema as Record<string, unknown>;
  if (type === 'array' || (Array.isArray(type) && type.includes('array'))) return true;
  if (type === undefined && (items !== undefined || prefixItems !== undefined)) return true;
  if (typeof $ref === 'string' && asksForArray(resolve($ref, root), root, depth + 1)) return true;
  return [anyOf, oneOf, allOf].some((list) => Array.isArray(list) && list.some((part) => asksForArray(part, root, depth + 1)));
}

/** A local reference such as `#/$defs/Tags`; anything else is left to ajv. */
function resolve(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = (at as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return at;
}

/** Keywords that describe no value: a schema with nothing else says nothing of what is sent. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['$schema', '$id', '$comment', '$defs', 'title', 'description', 'examples', 'deprecated', 'contentMediaType']);

/** Whether a body schema may mean bytes: it asks for nothing, which is what a schema of a Buffer is as JSON Schema, or for binary. */
export function takesBytes(schema: object | boolean): boolean {
  if (typeof schema === 'boolean') return schema;
  const { type, format } = schema as { type?: unknown; format?: unknown };
  return (type === 'string' && format === 'binary') || Object.keys(describedSchema(schema)).every((key) => ANNOTATIONS.has(key));
}

/** Header names are case-insensitive and arrive in lower case: a schema's are made so. */
export function lowerCaseHeaderNames(schema: object | boolean): object | boolean {
  if (typeof schema === 'boolean') return schema;
  const { properties, required } = schema as { properties?: Record<string, unknown>; required?: unknown };
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name.toLowerCase(), value])) }),
    ...(Array.isArray(required) && { required: required.map((name) => String(name).toLowerCase()) }),
  };
}

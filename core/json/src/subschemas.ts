/** Keywords with schemas by name. */
export const BY_NAME = ['properties', 'patternProperties', '$defs', 'dependentSchemas'] as const;
/** Keywords with a list of schemas. */
export const LISTED = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const;
/** Keywords with one schema. */
export const SINGLE = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties'] as const;
/** Deeper ones are left to the compiler. */
const MAX_DEPTH = 64;

type Keywords = Readonly<Record<string, unknown>>;

/**
 * Refuses what stands in the place of a schema and is none, such as `{ properties: { id: 'string' } }`: the compiler takes
 * it and lets every value pass.
 * @throws Error that names the place
 */
export function refuseNonSchemas(schema: unknown, path = '', depth = 0): void {
  if (typeof schema === 'boolean' || schema === undefined || depth > MAX_DEPTH) return;
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    throw new Error(`${path} must be a schema, which is an object or a boolean; it is ${JSON.stringify(schema).slice(0, 100)}`);
  }
  for (const [key, part] of parts(schema as Keywords)) refuseNonSchemas(part, path === '' ? key : `${path}.${key}`, depth + 1);
}

function parts(schema: Keywords): [string, unknown][] {
  const named = BY_NAME.flatMap((keyword) => entriesOf(schema[keyword]).map(([name, part]): [string, unknown] => [`${keyword}.${name}`, part]));
  const listed = LISTED.flatMap((keyword) => itemsOf(schema[keyword]).map((part, index): [string, unknown] => [`${keyword}[${index}]`, part]));
  return [...named, ...listed, ...SINGLE.map((keyword): [string, unknown] => [keyword, schema[keyword]])];
}

/** What is no object or no list at all the compiler refuses itself. */
const entriesOf = (value: unknown): [string, unknown][] => (typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []);
const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

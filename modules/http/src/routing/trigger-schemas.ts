import { describedSchema, partAt, withParts } from '@treadle/json';

type Keywords = Readonly<Record<string, unknown>>;

/** What a query schema says about lists. */
export interface QueryArrays {
  /** Of properties for which it asks for an array, in whichever of its parts. */
  readonly names: ReadonlySet<string>;
  /** It may ask for one for names that it does not list. */
  readonly others: boolean;
  readonly listed: ReadonlySet<string>;
}

/** For which parameters a query schema asks for an array. */
export function queryArrays(schema: object | boolean): QueryArrays {
  const parts = partsOfValue(schema, schema);
  const listed = parts.flatMap(({ properties }) => Object.entries((properties ?? {}) as Keywords));
  const others = parts.flatMap(({ additionalProperties, unevaluatedProperties, patternProperties }) => [additionalProperties, unevaluatedProperties, ...Object.values(patternProperties ?? {})]);
  return {
    listed: new Set(listed.map(([name]) => name)),
    names: new Set(listed.filter(([, property]) => asksForArray(property, schema)).map(([name]) => name)),
    others: others.some((other) => asksForArray(other, schema)),
  };
}

function asksForArray(schema: unknown, root: object | boolean): boolean {
  return partsOfValue(schema, root).some(({ type, items, prefixItems }) => (
    type === 'array' || (Array.isArray(type) && type.includes('array')) || (type === undefined && (items !== undefined || prefixItems !== undefined))
  ));
}

/** A schema and all in it that may say something of the same value, each once. */
function partsOfValue(schema: unknown, root: object | boolean, found = new Set<Keywords>()): readonly Keywords[] {
  if (!isKeywords(schema) || found.has(schema)) return [...found];
  found.add(schema);
  const { $ref, anyOf, oneOf, allOf, if: condition, then, else: otherwise, dependentSchemas } = schema;
  const lists = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list as unknown[] : []));
  for (const part of [...lists, condition, then, otherwise, ...Object.values(dependentSchemas ?? {})]) partsOfValue(part, root, found);
  if (typeof $ref === 'string') partsOfValue(partAt($ref, root), root, found);
  return [...found];
}

/** Keywords that describe no value: a schema with nothing else says nothing of what is sent. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['$schema', '$id', '$comment', '$defs', 'title', 'description', 'examples', 'deprecated', 'contentMediaType']);

/** Whether a body schema may mean bytes: it asks for nothing, which is what a schema of a Buffer is as JSON Schema, or for binary. */
export function takesBytes(schema: object | boolean): boolean {
  if (typeof schema === 'boolean') return schema;
  return isBinary(schema) || Object.keys(describedSchema(schema)).every((key) => ANNOTATIONS.has(key));
}

/** Whether a schema means bytes and nothing else. */
export function isBinary(schema: object | boolean): boolean {
  const { type, format } = schema as { type?: unknown; format?: unknown };
  return type === 'string' && format === 'binary';
}

/** Header names are case-insensitive and arrive in lower case: a schema's are made so, wherever it has some; a header's value has no members. */
export function lowerCaseHeaderNames(schema: object | boolean): object | boolean {
  return lowered(schema) as object | boolean;
}

function lowered(schema: unknown): unknown {
  const inner = withParts(schema, lowered);
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
  const { properties, required, dependentRequired, dependentSchemas, $ref } = inner as Keywords;
  return {
    ...inner,
    ...isKeywords(properties) && { properties: withLowerKeys(properties) },
    ...Array.isArray(required) && { required: required.map(lower) },
    ...isKeywords(dependentRequired) && { dependentRequired: Object.fromEntries(Object.entries(dependentRequired).map(([name, needed]) => [lower(name), Array.isArray(needed) ? needed.map(lower) : needed])) },
    ...isKeywords(dependentSchemas) && { dependentSchemas: withLowerKeys(dependentSchemas) },
    ...typeof $ref === 'string' && $ref.startsWith('#/') && { $ref: $ref.split('/').map(lowerAfter).join('/') },
  };
}

/** A segment of a pointer, in lower case where it is the name of a property. */
function lowerAfter(segment: string, index: number, segments: readonly string[]): string {
  const isName = (at: number): boolean => at > 1 && BY_NAME.has(segments[at - 1] as string) && !isName(at - 1);
  return isName(index) && PROPERTIES.has(segments[index - 1] as string) ? lower(segment) : segment;
}

/** Keywords with names of properties, and those with names of any kind. */
const PROPERTIES: ReadonlySet<string> = new Set(['properties', 'dependentSchemas']);
const BY_NAME: ReadonlySet<string> = new Set([...PROPERTIES, '$defs', 'definitions', 'patternProperties']);

const lower = (name: unknown): string => String(name).toLowerCase();
const withLowerKeys = (named: Keywords): Keywords => Object.fromEntries(Object.entries(named).map(([name, part]) => [lower(name), part]));
const isKeywords = (value: unknown): value is Keywords => typeof value === 'object' && value !== null && !Array.isArray(value);

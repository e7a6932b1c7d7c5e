import type { ConfigSchema } from '@treadle/api';
import { PLACEHOLDER_PATTERN } from '../placeholder.js';
import { namedKeys, takesAnyKey, typesOf } from '../validation/schema-shape.js';

/** Text that is exactly one placeholder: takes the type asked for. */
const WHOLE = { type: 'string', pattern: PLACEHOLDER_PATTERN };
/** Text with a placeholder in it: cannot be checked before the variables are known. */
const PARTLY = { type: 'string', pattern: PLACEHOLDER_PATTERN.slice(1, -1) };

const TEXT_RULES = ['enum', 'const', 'pattern', 'minLength', 'maxLength', 'anyOf', 'oneOf', 'allOf', 'not'] as const;
const SCALARS = ['integer', 'number', 'boolean', 'null'] as const;
/** Stay outside, where editors look for them. */
const OUTSIDE = ['description', 'default', 'examples'] as const;

/**
 * A config's schema for editors: every scalar also takes a placeholder, keys that the engine would refuse are refused,
 * and what is deprecated says so.
 */
export function withPlaceholders(schema: ConfigSchema, isRoot = true): object {
  const inside = { ...descend(schema), ...closed(schema, isRoot) };
  const placeholder = placeholderFor(schema);
  if (!placeholder) return withDescription(inside, schema);
  const outside = Object.fromEntries(Object.entries(inside).filter(([key]) => isOutside(key)));
  const rules = Object.fromEntries(Object.entries(inside).filter(([key]) => !isOutside(key)));
  return withDescription({ ...outside, anyOf: [rules, placeholder] }, schema);
}

function isOutside(keyword: string): boolean {
  return keyword.startsWith('x-') || (OUTSIDE as readonly string[]).includes(keyword);
}

/** What has to be allowed besides; undefined where the schema takes a placeholder already, or never could. */
function placeholderFor(schema: ConfigSchema): object | undefined {
  const types = typesOf([schema]);
  if (types.has('string')) return TEXT_RULES.some((rule) => schema[rule] !== undefined) ? PARTLY : undefined;
  return SCALARS.some((type) => types.has(type)) ? WHOLE : undefined;
}

/** Conditions (`if`, `not`) stay as they are: a placeholder does not fulfil them. A union takes its placeholder as a whole. */
function descend(schema: ConfigSchema): Record<string, unknown> {
  const { properties, items, additionalProperties, allOf, anyOf, oneOf, then, else: otherwise } = schema;
  const inner = (branch: ConfigSchema): object => withPlaceholders(branch, false);
  const form = (part: ConfigSchema): object => ({ ...descend(part), ...closed(part, false) });
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, inner(one)])) }),
    ...(items && { items: inner(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: inner(additionalProperties) }),
    ...(allOf && { allOf: allOf.map(descend) }),
    ...(anyOf && { anyOf: anyOf.map(form) }),
    ...(oneOf && { oneOf: oneOf.map(form) }),
    ...(then && { then: descend(then) }),
    ...(otherwise && { else: descend(otherwise) }),
  };
}

/** Draft-07 closes a map against the keys of the same level only, so those of the branches are named here too. */
function closed(schema: ConfigSchema, isRoot: boolean): object {
  const isMap = isRoot || schema.properties !== undefined;
  if (!isMap || takesAnyKey([schema], isRoot)) return {};
  const named = Object.fromEntries(namedKeys([schema]).map((key) => [key, {}]));
  const { properties = {} } = descend(schema) as { properties?: object };
  return { properties: { ...named, ...properties }, additionalProperties: false };
}

/** Editors show the description alone: unit, default and variable stand in it as well. */
function withDescription(result: object, schema: ConfigSchema): object {
  const { description, 'x-deprecated': deprecated } = schema;
  const facts = description === undefined ? [] : factsOf(schema);
  if (deprecated === undefined && facts.length === 0) return result;
  const text = [description, facts.length > 0 ? `(${facts.join('; ')})` : undefined, deprecated === undefined ? undefined : `Deprecated: ${deprecated}`];
  return { ...result, description: text.filter((part) => part !== undefined).join(' ') };
}

function factsOf({ default: value, 'x-unit': unit, 'x-env': variable }: ConfigSchema): readonly string[] {
  const isPlain = value !== undefined && (typeof value !== 'object' || value === null);
  const defaults = [...(variable === undefined ? [] : [`${variable} of the environment`]), ...(isPlain ? [JSON.stringify(value)] : [])];
  return [...(unit === undefined ? [] : [`in ${unit}`]), ...(defaults.length > 0 ? [`default: ${defaults.join(', else ')}`] : [])];
}

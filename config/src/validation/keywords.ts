import type { ConfigSchema } from '@treadle/api';

/** Keywords of Treadle that ajv is told to accept. */
export const EXTENSION_KEYWORDS: readonly string[] = [
  'x-secret', 'x-unit', 'x-env', 'x-env-words', 'x-advanced', 'x-live', 'x-deprecated', 'x-since', 'x-enum-docs', 'x-slot',
];

type Test = (rule: unknown) => boolean;

const isNumber: Test = (rule) => typeof rule === 'number' && Number.isFinite(rule);
const isCount: Test = (rule) => Number.isInteger(rule) && (rule as number) >= 0;
const isScalar: Test = (rule) => rule === null || ['string', 'number', 'boolean'].includes(typeof rule);
const isMap: Test = (rule) => typeof rule === 'object' && rule !== null && !Array.isArray(rule);
const isSchema: Test = (rule) => isMap(rule) && isUnderstood(rule as ConfigSchema);
const isSchemas: Test = (rule) => Array.isArray(rule) && rule.length > 0 && rule.every(isSchema);
const isSchemaMap: Test = (rule) => isMap(rule) && Object.values(rule as object).every(isSchema);
const isTexts: Test = (rule) => Array.isArray(rule) && rule.every((item) => typeof item === 'string');
const isAnything: Test = () => true;

const TYPES: readonly unknown[] = ['string', 'integer', 'number', 'boolean', 'null', 'array', 'object'];

const RULES: Readonly<Record<string, Test>> = {
  type: (rule) => [rule].flat().every((type) => TYPES.includes(type)),
  enum: (rule) => Array.isArray(rule) && rule.length > 0 && rule.every(isScalar),
  const: isScalar,
  minimum: isNumber, maximum: isNumber,
  minLength: isCount, maxLength: isCount, minItems: isCount, maxItems: isCount,
  pattern: isPattern,
  properties: isSchemaMap, items: isSchema, required: isTexts,
  additionalProperties: (rule) => typeof rule === 'boolean' || isSchema(rule),
  anyOf: isSchemas, oneOf: isSchemas, allOf: isSchemas, if: isSchema, then: isSchema, else: isSchema, not: isSchema,
  description: isAnything, title: isAnything, default: isAnything, examples: isAnything, $comment: isAnything,
  ...Object.fromEntries(EXTENSION_KEYWORDS.map((keyword) => [keyword, isAnything])),
};

const known = new WeakMap<ConfigSchema, boolean>();

/**
 * True for a schema that holds only keywords of `ConfigSchema`, each well formed: then `fits` decides, and ajv, which
 * costs a third of the engine's start, is loaded only to explain errors. A schema beyond that is ajv's.
 */
export function isUnderstood(schema: ConfigSchema): boolean {
  const before = known.get(schema);
  if (before !== undefined) return before;
  // Set first: a schema that contains itself is not understood.
  known.set(schema, false);
  const rules = Object.entries(schema).filter(([, rule]) => rule !== undefined);
  const result = rules.every(([keyword, rule]) => RULES[keyword]?.(rule) ?? false) && hasWholeConditions(schema);
  known.set(schema, result);
  return result;
}

function hasWholeConditions(schema: ConfigSchema): boolean {
  const hasBranch = schema.then !== undefined || schema.else !== undefined;
  return (schema.if !== undefined) === hasBranch;
}

function isPattern(rule: unknown): boolean {
  try {
    return typeof rule === 'string' && new RegExp(rule, 'u') instanceof RegExp;
  } catch {
    // Not a regular expression: ajv says so, with the author's schema named.
    return false;
  }
}

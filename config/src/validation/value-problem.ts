import type { ConfigSchema } from '@treadle/api';
import type { ErrorObject } from 'ajv';
import { describeSchema } from './describe-schema.js';

/** What a rule refused, in the words of `CONFIG_BAD_VALUE`. */
export interface Refused {
  /** The setting as the text names it. */
  readonly name: string;
  /** The value as it may be shown. */
  readonly shown: string;
  readonly error: ErrorObject;
}

type Wording = (refused: Refused, limit: unknown) => string;

const mustBe = (comparison: string): Wording => ({ name, shown }, limit) => `${name} must be ${comparison}${String(limit)}; got ${shown}`;
const expected: Wording = ({ error, shown }) => `expected ${describeSchema(error.parentSchema as ConfigSchema)}, got ${shown}`;

const WORDINGS: Readonly<Record<string, Wording>> = {
  type: expected,
  enum: expected,
  const: expected,
  anyOf: expected,
  oneOf: ({ name, error, shown }) =>
    (error.params['passingSchemas'] ? `${name} fits more than one of its forms; got ${shown}` : expected({ name, error, shown }, 0)),
  minimum: mustBe('>= '),
  maximum: mustBe('<= '),
  exclusiveMinimum: mustBe('> '),
  exclusiveMaximum: mustBe('< '),
  multipleOf: mustBe('a multiple of '),
  format: mustBe('a valid '),
  pattern: ({ name, shown }, pattern) => `${name} must match ${String(pattern)}; got ${shown}`,
  minLength: ({ name, error, shown }, limit) => (limit === 1
    ? `${name} must not be empty`
    : `${name} must have at least ${count(limit, 'character')}; got ${length(error, shown)}`),
  maxLength: ({ name, error, shown }, limit) => `${name} must have at most ${count(limit, 'character')}; got ${length(error, shown)}`,
  minItems: ({ name, error }, limit) => `${name} must have at least ${count(limit, 'item')}; got ${sizeOf(error.data)}`,
  maxItems: ({ name, error }, limit) => `${name} must have at most ${count(limit, 'item')}; got ${sizeOf(error.data)}`,
  minProperties: ({ name, error }, limit) => `${name} must have at least ${count(limit, 'key')}; got ${sizeOf(error.data)}`,
  maxProperties: ({ name, error }, limit) => `${name} must have at most ${count(limit, 'key')}; got ${sizeOf(error.data)}`,
  uniqueItems: ({ name, error }) => `${name} must not repeat an item; items ${error.params['j']} and ${error.params['i']} are equal`,
  propertyNames: ({ name, error }) => `${name} must not have the key ${JSON.stringify(error.params['propertyName'])}`,
  not: ({ name, shown, error }) => `${name} must not be ${describeSchema(error.schema as ConfigSchema)}; got ${shown}`,
};

/** The text for a refused value; rules without a wording of their own name the rule, the setting and the value. */
export function valueProblem(refused: Refused): string {
  const { error, name, shown } = refused;
  const wording = WORDINGS[error.keyword];
  return wording ? wording(refused, error.schema) : `${name} ${error.message ?? `breaks "${error.keyword}"`}; got ${shown}`;
}

function count(limit: unknown, unit: string): string {
  return `${String(limit)} ${unit}${limit === 1 ? '' : 's'}`;
}

function sizeOf(value: unknown): number {
  return Object.keys(value as object).length;
}

/** Short texts are shown, long ones counted. */
function length(error: ErrorObject, shown: string): string {
  const characters = [...error.data as string].length;
  return characters > 40 ? String(characters) : shown;
}

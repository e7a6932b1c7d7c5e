import type { ValidationIssue } from '@treadle/api';
import { checkedSchema, libraryOf } from './library-schema.js';
import { compileSchema, type SchemaError, type SchemaFunction, type SchemaMode } from './schema-compiler.js';
import { singleFaults } from './single-faults.js';
import { slowPatternsOf } from './slow-patterns.js';
import { meter } from './work-meter.js';

/** Most findings that are reported. */
export const MAX_ISSUES = 20;
const MAX_PATH = 200;
/** What deciding about a value may cost in units of the meter, for each byte of its JSON: small values held to a schema that refers to itself cost less. */
const BUDGET_OF_BYTE = 10;
/** So much may every value cost: 10 ms. Small ones are checked on the event loop, and others wait for it. */
const SMALLEST_BUDGET = 1_000_000;
/** Longer values, which an operator has allowed, may cost two units more for each byte. */
const BYTES_IN_BUDGET = 1_048_576;
/** What collecting its faults may cost more. */
const BUDGET_FOR_ALL = 200_000;
/** What deciding costs a byte of a value that is large and no more than that. */
const COST_OF_BYTE = 8;
/**
 * Values whose JSON is longer get their first finding only: collecting all of them for a large hostile body would cost
 * more than the whole request.
 */
const MAX_BYTES_FOR_ALL = 16 * 1024;

/** Codes in the vocabulary of zod, so that both stages of validation name a fault alike. */
const CODES: Readonly<Record<string, string>> = {
  type: 'invalid_type', required: 'invalid_type', dependentRequired: 'invalid_type',
  minLength: 'too_small', minimum: 'too_small', exclusiveMinimum: 'too_small', minItems: 'too_small',
  minProperties: 'too_small', minContains: 'too_small', contains: 'too_small',
  maxLength: 'too_big', maximum: 'too_big', exclusiveMaximum: 'too_big', maxItems: 'too_big',
  maxProperties: 'too_big', maxContains: 'too_big',
  format: 'invalid_format', pattern: 'invalid_format', multipleOf: 'not_multiple_of',
  additionalProperties: 'unrecognized_keys', unevaluatedProperties: 'unrecognized_keys',
  enum: 'invalid_value', const: 'invalid_value', anyOf: 'invalid_union', oneOf: 'invalid_union',
  propertyNames: 'invalid_key', discriminator: 'invalid_value',
};

/** Why a value does not fit its schema. */
export interface SchemaRefusal {
  readonly valid: false;
  /** At most `MAX_ISSUES`. */
  readonly issues: readonly ValidationIssue[];
  /** The value is too costly to look at more closely; nobody else is to judge it either. */
  readonly exhausted: boolean;
}

/** What makes a check again, without coercion. */
export interface CheckSource {
  /** JSON text of the schema. */
  readonly schema: string;
  readonly place: string;
}

/** Holds values to one schema. Made when a Step is bound; costs one call of a compiled function a request. */
export class SchemaCheck {
  private readonly first: SchemaFunction;
  private all: SchemaFunction | undefined;
  private slow: boolean | undefined;
  /** Name of the library that has the last word, in the Step's process; undefined for JSON Schema. */
  readonly library: string | undefined;

  /** `place` is the `in` of its issues. @throws Error when the schema cannot be compiled */
  constructor(private readonly schema: object | boolean, private readonly place: string, private readonly coerce = false) {
    this.first = compileSchema(schema, coerce ? 'query' : 'first');
    this.library = libraryOf(schema);
  }

  /** For a check elsewhere. */
  source(): CheckSource {
    return { schema: JSON.stringify(this.schema), place: this.place };
  }

  /** What the engine refuses by itself. A library is to see what it may take, and to say in its own words what it does not. */
  refuse(value: unknown, bytes: number): SchemaRefusal | undefined {
    const refusal = this.check(value, bytes);
    return refusal === undefined || (this.library !== undefined && !refusal.exhausted) ? undefined : refusal;
  }

  /** Undefined when the value fits; `bytes` is the length of its JSON. With coercion the value is changed in place. */
  check(value: unknown, bytes: number): SchemaRefusal | undefined {
    meter.explosive = false;
    const fits = run(this.first, value, budgetFor(bytes));
    if (fits === true) return undefined;
    if (fits === undefined) return { valid: false, issues: [{ in: this.place, path: '', message: TOO_COMPLEX, code: 'too_complex' }], exhausted: true };
    const found = this.issues(this.first.errors);
    if (bytes > MAX_BYTES_FOR_ALL) return { valid: false, issues: found, exhausted: this.library === undefined || isComplex(bytes) || this.hasSlowPattern() };
    const all = this.collect(value);
    return { valid: false, issues: all ?? found, exhausted: all === undefined || meter.explosive };
  }

  /** A library may try such a pattern on a long text before it looks at what the value was refused for here, e.g. its length. */
  private hasSlowPattern(): boolean {
    return this.slow ??= slowPatternsOf(checkedSchema(this.schema)).length > 0;
  }

  /** All findings; undefined when that would cost too much. */
  private collect(value: unknown): readonly ValidationIssue[] | undefined {
    const mode: SchemaMode = this.coerce ? 'query-all' : 'all';
    this.all ??= compileSchema(this.schema, mode);
    const fits = run(this.all, value, BUDGET_FOR_ALL);
    return fits === false ? this.issues(this.all.errors) : undefined;
  }

  private issues(errors: readonly SchemaError[] | null | undefined): readonly ValidationIssue[] {
    // Options of a union leave findings without anything in them behind.
    const found = (errors ?? []).filter(({ keyword }) => keyword !== undefined);
    return singleFaults(found).slice(0, MAX_ISSUES).map((error) => issueOf(error, this.place));
  }
}

const TOO_COMPLEX = 'is too complex to be checked';

/** Whether deciding about a value just now cost more than its length explains: its library could take much longer over it. */
const isComplex = (bytes: number): boolean => meter.explosive || meter.spent > BUDGET_FOR_ALL + bytes * COST_OF_BYTE;

function budgetFor(bytes: number): number {
  const beyond = Math.max(0, bytes - BYTES_IN_BUDGET);
  return Math.max(SMALLEST_BUDGET, (bytes - beyond) * BUDGET_OF_BYTE + 2 * beyond);
}

/** Whether a value fits; undefined when telling would cost too much. */
function run(validate: SchemaFunction, value: unknown, budget: number): boolean | undefined {
  meter.left = budget;
  try {
    return validate(value);
  } catch (error) {
    // RegExp has a stack of its own, which a long text can exhaust.
    if (error === meter.signal || error instanceof RangeError) return undefined;
    throw error;
  } finally {
    meter.spent = budget - meter.left;
    meter.left = Infinity;
  }
}

function issueOf(error: SchemaError, place: string): ValidationIssue {
  return {
    in: place, path: pathOf(error).slice(0, MAX_PATH),
    message: messageOf(error),
    code: CODES[error.keyword] ?? 'custom',
  };
}

function messageOf({ keyword, message, params }: SchemaError): string {
  if (keyword === 'required') return 'is required';
  if (keyword !== 'discriminator') return message ?? 'does not fit its schema';
  // Of the member that decides about a union.
  if (params['error'] === 'mapping') return 'must be equal to one of the allowed values';
  return params['tagValue'] === undefined ? 'is required' : 'must be string';
}

/** Dotted; a missing or superfluous property is named itself, not the object that lacks or has it. */
function pathOf(error: SchemaError): string {
  const parts = error.instancePath.split('/').slice(1).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const { missingProperty, additionalProperty, unevaluatedProperty, tag } = error.params;
  const named = missingProperty ?? additionalProperty ?? unevaluatedProperty ?? tag;
  if (typeof named === 'string') parts.push(named);
  return parts.join('.');
}

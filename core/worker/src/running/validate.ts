import type { ValidationIssue } from '@treadle/protocol';
import type { StandardResult, StandardSchema } from 'treadle';
import { RunError } from './failure.js';
import { issuesOf } from './issues.js';
import { isZod3, zod3Validator } from './zod-3.js';

/** What a schema's own library says of a value: the last word, with refinements, transforms and defaults. */
export type Validate = (value: unknown) => StandardResult<unknown> | Promise<StandardResult<unknown>>;

/** The validation that a schema brings, or undefined for JSON Schema, which the engine has checked. */
export function validatorOf(schema: unknown): Validate | undefined {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return undefined;
  const standard = (schema as Partial<StandardSchema>)['~standard'];
  if (typeof standard?.validate === 'function') return (value) => standard.validate(value) as StandardResult<unknown> | Promise<StandardResult<unknown>>;
  return isZod3(schema) ? zod3Validator(schema) : undefined;
}

/** Output of the schema. @throws RunError `validation_failed` with the issues, without repeating any value */
export function accept(result: StandardResult<unknown>, where: string): unknown {
  if (!result.issues) return result.value;
  throw refusal(where, issuesOf(result.issues, where));
}

/** What an input that its schemas refuse is answered with. */
export function refusal(where: string, issues: readonly ValidationIssue[]): RunError {
  return new RunError('validation_failed', `${where} failed its schema`, issues);
}

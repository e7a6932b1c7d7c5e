import type { ValidationIssue } from '@treadle/protocol';
import type { StandardIssue, StandardResult, StandardSchema } from 'treadle';
import { RunError } from './failure.js';

/** The worker's half of validation: refinements, transforms and defaults of the schema's own library. */
export type Validate = (value: unknown) => StandardResult<unknown> | Promise<StandardResult<unknown>>;

/** The validation that a schema brings, or undefined for JSON Schema, which the engine has checked. */
export function validatorOf(schema: unknown): Validate | undefined {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return undefined;
  const standard = (schema as Partial<StandardSchema>)['~standard'];
  if (typeof standard?.validate !== 'function') return undefined;
  return (value) => standard.validate(value) as StandardResult<unknown> | Promise<StandardResult<unknown>>;
}

/** Output of the schema. @throws RunError `validation_failed` with the issues, without repeating any value */
export function accept(result: StandardResult<unknown>, where: string): unknown {
  if (!result.issues) return result.value;
  const issues = result.issues.map((issue) => toIssue(issue, where));
  throw new RunError('validation_failed', `${where} failed its schema`, issues);
}

/** Characters of one issue's text. */
const MAX_TEXT = 1_000;

function toIssue(issue: StandardIssue, where: string): ValidationIssue {
  const { code } = issue as { code?: unknown };
  return { in: where, path: pathOf(issue).slice(0, MAX_TEXT), message: String(issue.message).slice(0, MAX_TEXT), code: typeof code === 'string' ? code : 'invalid' };
}

function pathOf(issue: StandardIssue): string {
  return (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
}

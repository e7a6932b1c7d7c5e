import type { ValidationIssue } from '@treadle/protocol';
import { declaredHeaders } from './declared-headers.js';
import type { HttpInput } from './http-input.js';
import { isThenable } from './is-thenable.js';
import { issuesOf } from './issues.js';
import { refusal, validatorOf, type Validate } from './validate.js';

/** The schema of one part of a request, made ready when the Step is loaded. */
export interface HttpCheck {
  readonly where: 'body' | 'query' | 'headers';
  readonly validate: Validate;
  /** A request without this part is not checked. */
  readonly optional: boolean;
  readonly read: (input: HttpInput) => unknown;
  /** The handler gets what the schema made of it. */
  readonly write: (input: HttpInput, value: unknown) => void;
}

/** The checks of an http trigger that a library makes, in the order in which their issues are told. */
export function httpChecks({ method, bodySchema, querySchema, headersSchema }: Readonly<Record<string, unknown>>): readonly HttpCheck[] {
  const withNames = declaredHeaders(headersSchema);
  const wanted: readonly (Omit<HttpCheck, 'validate'> & { readonly schema: unknown })[] = [
    {
      where: 'body', schema: bodySchema, optional: method === 'GET' || method === 'HEAD',
      read: (input) => input.body, write: (input, value) => { input.body = value; },
    },
    { where: 'query', schema: querySchema, optional: false, read: (input) => input.query, write: (input, value) => { input.queryParams = input.query = value; } },
    { where: 'headers', schema: headersSchema, optional: false, read: (input) => withNames(input.headers), write: (input, value) => { input.headers = value; } },
  ];
  return wanted.flatMap(({ schema, ...check }) => {
    const validate = validatorOf(schema);
    return validate ? [{ ...check, validate }] : [];
  });
}

/** Goes through all checks, so that a client is told of every fault at once. @throws RunError `validation_failed` */
export function checkRequest(checks: readonly HttpCheck[], input: HttpInput, from = 0, faults?: readonly ValidationIssue[]): unknown {
  const check = checks[from];
  if (!check) {
    if (faults) throw refusal([...new Set(faults.map((issue) => issue.in))].join(' and '), faults);
    return undefined;
  }
  const value = check.read(input);
  if (check.optional && value === undefined) return checkRequest(checks, input, from + 1, faults);
  const result = check.validate(value);
  const next = (judged: Awaited<typeof result>): unknown => {
    if (!judged.issues) check.write(input, judged.value);
    return checkRequest(checks, input, from + 1, judged.issues ? [...(faults ?? []), ...issuesOf(judged.issues, check.where)] : faults);
  };
  return isThenable(result) ? result.then(next) : next(result);
}

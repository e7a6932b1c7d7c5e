import { badRequest, type Problem } from '../problem.js';
import { parseQuery, type Query } from '../query.js';

const MAX_FIELDS = 1000;

/** Reads an urlencoded form: each name to its value, or to its values when it was repeated. */
export function parseFormBody(bytes: Buffer): Query | Problem {
  const fields = parseQuery(bytes.toString('latin1'), MAX_FIELDS);
  if (!isProblem(fields)) return fields;
  return badRequest(`The form has a bad percent-encoding or more than ${MAX_FIELDS} fields`);
}

/** Tells a refusal from parsed fields: those have no prototype. */
export function isProblem(value: object): value is Problem {
  return Object.getPrototypeOf(value) !== null;
}

import { Validator } from '@cfworker/json-schema';

/** Errors that only say that a part of theirs has one. */
const WRAPPERS: ReadonlySet<string> = new Set(['properties', 'items', 'allOf', '$ref']);

/** What of a value a schema does not allow, a line each; of the whole by the name `root`; numbers beyond what JavaScript keeps count as numbers here. @throws Error where the schema is none that can be read here, such as one with a pattern of another language */
export function schemaIssues(schema: object | boolean, value: unknown, root = 'body'): readonly string[] {
  const { errors } = new Validator(schema, '2020-12', false).validate(value);
  const leaves = errors.filter(({ keyword }) => !WRAPPERS.has(keyword));
  return [...new Set(leaves.map(({ instanceLocation, error }) => `${instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.') || root}: ${error}`))];
}

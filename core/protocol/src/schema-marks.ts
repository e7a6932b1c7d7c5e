/**
 * Keywords that a Step's process writes into the JSON Schema of a schema that a library judges. Whoever else reads JSON Schema
 * passes over them.
 */
export const SCHEMA_MARKS = {
  /** At the root: name of the library that has the last word about a value. Absent from what the Step itself wrote as JSON Schema. */
  library: 'x-treadle-library',
  /** At the root, `true`: what fits the JSON Schema the library takes as well. */
  exact: 'x-treadle-exact',
  /** At a part: keywords that refuse more than the library does; `true`: all of them. They describe, and are not checked. */
  lax: 'x-treadle-lax',
} as const;

import { SCHEMA_MARKS } from '@treadle/api';
import { BY_NAME, LISTED, SINGLE } from './subschemas.js';

type Schema = object | boolean;
type Keywords = Record<string, unknown>;

/** Deeper parts are taken as they are. */
const MAX_DEPTH = 64;

/** Name of the library that has the last word about what fits a schema; undefined for JSON Schema that a Step wrote itself. */
export function libraryOf(schema: Schema): string | undefined {
  const library = (schema as Keywords)[SCHEMA_MARKS.library];
  return typeof library === 'string' ? library : undefined;
}

/** True when the library takes whatever fits the schema: it need not be asked. */
export function isExact(schema: Schema): boolean {
  return libraryOf(schema) === undefined || (schema as Keywords)[SCHEMA_MARKS.exact] === true;
}

/** The schema as it is checked: without the keywords that refuse what the library takes. */
export function checkedSchema(schema: Schema): Schema {
  return libraryOf(schema) === undefined ? schema : (rewrite(schema, withoutLaxKeywords, 0) as Schema);
}

/** The schema as it is shown to people and tools: whole, without the marks. */
export function describedSchema(schema: Schema): Schema {
  return libraryOf(schema) === undefined ? schema : (rewrite(schema, withoutMarks, 0) as Schema);
}

const MARKS: readonly string[] = Object.values(SCHEMA_MARKS);
/** Of a part that is not checked; references may lead into the first two. */
const KEPT: ReadonlySet<string> = new Set(['$defs', 'definitions', '$id', '$anchor', ...MARKS]);

function withoutLaxKeywords(schema: Keywords): Keywords {
  const lax = schema[SCHEMA_MARKS.lax];
  if (lax === undefined) return schema;
  return Object.fromEntries(Object.entries(schema).filter(([key]) => (Array.isArray(lax) ? !lax.includes(key) : KEPT.has(key))));
}

const withoutMarks = (schema: Keywords): Keywords => Object.fromEntries(Object.entries(schema).filter(([key]) => !MARKS.includes(key)));

/** Applies `change` to a schema and to every schema in it. */
function rewrite(schema: unknown, change: (schema: Keywords) => Keywords, depth: number): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema) || depth > MAX_DEPTH) return schema;
  const changed = { ...change(schema as Keywords) };
  const inner = (part: unknown): unknown => rewrite(part, change, depth + 1);
  for (const key of [...BY_NAME, 'definitions']) {
    const named = changed[key];
    if (typeof named === 'object' && named !== null && !Array.isArray(named)) changed[key] = Object.fromEntries(Object.entries(named).map(([name, part]) => [name, inner(part)]));
  }
  for (const key of LISTED) if (Array.isArray(changed[key])) changed[key] = (changed[key] as unknown[]).map(inner);
  for (const key of SINGLE) if (changed[key] !== undefined) changed[key] = inner(changed[key]);
  return changed;
}

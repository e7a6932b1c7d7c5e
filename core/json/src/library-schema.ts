import { SCHEMA_MARKS } from '@treadle/protocol';
import { rewriteSchema } from './rewrite-schema.js';

type Schema = object | boolean;
type Keywords = Readonly<Record<string, unknown>>;

/** Name of the library that has the last word about what fits a schema; undefined for JSON Schema that a Step wrote itself. */
export function libraryOf(schema: Schema): string | undefined {
  const library = (schema as Keywords)[SCHEMA_MARKS.library];
  return typeof library === 'string' ? library : undefined;
}

/** True when the library takes whatever fits the schema: it need not be asked. */
export function isExact(schema: Schema): boolean {
  return libraryOf(schema) === undefined || (schema as Keywords)[SCHEMA_MARKS.exact] === true;
}

/** The schema as it is checked: without the keywords that refuse what the library takes, and without patterns of another language than ECMAScript. */
export function checkedSchema(schema: Schema): Schema {
  return libraryOf(schema) === undefined ? schema : (rewriteSchema(schema, (part) => withoutForeignPatterns(withoutLaxKeywords(part))) as Schema);
}

/** The schema as it is shown to people and tools: whole, without the marks. */
export function describedSchema(schema: Schema): Schema {
  return libraryOf(schema) === undefined ? schema : (rewriteSchema(schema, withoutMarks) as Schema);
}

const MARKS: readonly string[] = Object.values(SCHEMA_MARKS);
/** Of a part that is not checked; references may lead into the first two. */
const KEPT: ReadonlySet<string> = new Set(['$defs', 'definitions', '$id', '$anchor', ...MARKS]);

function withoutLaxKeywords(schema: Keywords): Keywords {
  const lax = schema[SCHEMA_MARKS.lax];
  if (lax === undefined) return schema;
  return Object.fromEntries(Object.entries(schema).filter(([key]) => (Array.isArray(lax) ? !lax.includes(key) : KEPT.has(key))));
}

/** pydantic's are of Rust or Python. What a member's name has to match decides also which members are superfluous. */
function withoutForeignPatterns(schema: Keywords): Keywords {
  const { pattern, patternProperties } = schema;
  const foreign = [
    ...isForeign(pattern) ? ['pattern'] : [],
    ...isObject(patternProperties) && Object.keys(patternProperties).some(isForeign) ? ['patternProperties', 'additionalProperties', 'unevaluatedProperties'] : [],
  ];
  return foreign.length === 0 ? schema : Object.fromEntries(Object.entries(schema).filter(([key]) => !foreign.includes(key)));
}

/** A pattern that ECMAScript cannot read. */
export function isForeign(pattern: unknown): boolean {
  if (typeof pattern !== 'string') return false;
  try {
    new RegExp(pattern, 'u');
    return false;
  } catch {
    return true;
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const withoutMarks = (schema: Keywords): Keywords => Object.fromEntries(Object.entries(schema).filter(([key]) => !MARKS.includes(key)));

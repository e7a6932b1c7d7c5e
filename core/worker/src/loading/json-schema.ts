import { SCHEMA_MARKS } from '@treadle/protocol';
import { isZod3 } from '../running/zod-3.js';
import { arkTypeJson, type LibraryJson, valibotJson } from './library-json.js';
import { plainJson } from './plain-json.js';
import { zod3Json } from './zod-3-json.js';
import { isZod4, zod4Json } from './zod-4-json.js';

interface Standard {
  readonly vendor?: unknown;
  readonly jsonSchema?: { readonly input?: (options: { target: string }) => object };
}

/**
 * JSON Schema of what a schema accepts. That of a library's schema is marked: the engine checks by it what it can say, and the library
 * has the last word in the Step's process. A library that cannot say it gives no more than the marks.
 * @throws Error when the schema is none
 */
export async function toJsonSchema(schema: unknown, file: string): Promise<unknown> {
  if (typeof schema === 'boolean') return schema;
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) {
    throw new Error(`a schema must be a Standard Schema (zod, …) or JSON Schema, not ${JSON.stringify(schema) ?? typeof schema}`);
  }
  if (isZod3(schema)) return marked('zod', { schema: zod3Json(schema), exact: false });
  if (!('~standard' in schema)) return unmarked(plainJson(schema) as object);
  const standard = schema['~standard'] as Standard;
  const library = typeof standard.vendor === 'string' ? standard.vendor : 'unknown';
  return marked(library, await jsonOf(schema, { library, standard, file }));
}

async function jsonOf(schema: object, { library, standard, file }: { library: string; standard: Standard; file: string }): Promise<LibraryJson> {
  const special = isZod4(schema) ? await zod4Json(schema, file) : library === 'valibot' ? await valibotJson(schema, file) : undefined;
  if (special) return special;
  try {
    const own = standard.jsonSchema?.input?.({ target: 'draft-2020-12' });
    if (own) return { schema: own, exact: false };
  } catch {
    // Something in it has no JSON form, such as a date.
  }
  return (library === 'arktype' ? arkTypeJson(schema) : undefined) ?? { schema: {}, exact: false };
}

function marked(library: string, { schema, exact }: LibraryJson): unknown {
  const plain = plainJson(schema);
  return { ...(typeof plain === 'object' ? plain : {}), [SCHEMA_MARKS.library]: library, ...(exact && { [SCHEMA_MARKS.exact]: true }) };
}

/** No library stands behind JSON Schema, wherever it was copied from: the engine decides. */
function unmarked(schema: object): object {
  if (!(SCHEMA_MARKS.library in schema)) return schema;
  const copy: Record<string, unknown> = { ...schema };
  delete copy[SCHEMA_MARKS.library];
  return copy;
}

import { SCHEMA_MARKS } from '@treadle/protocol';
import type { LibraryJson } from './library-json.js';
import { resolvedModule } from './resolved-module.js';
import { isExact, laxKeywords, type Zod4Schema } from './zod-4-parts.js';

type Written = Record<string, unknown>;
interface Options {
  readonly io: 'input';
  readonly unrepresentable: 'any';
  readonly override: (context: { readonly zodSchema: Zod4Schema; readonly jsonSchema: Written }) => void;
}
type ToJsonSchema = (schema: unknown, options: Options) => object;

/** True for a schema of zod 4, zod mini and whatever else is made of its core. */
export function isZod4(schema: object): schema is Zod4Schema {
  return '_zod' in schema;
}

/** By the zod that the Step's own folder resolves; undefined without one that knows how. Parts that refuse less than JSON Schema can say are marked. */
export async function zod4Json(schema: Zod4Schema, file: string): Promise<LibraryJson | undefined> {
  const convert = (await resolvedModule(file, ['zod', 'zod/v4', 'zod/v4/core'], 'toJSONSchema')) as ToJsonSchema | undefined;
  if (!convert) return undefined;
  let exact = true;
  const override: Options['override'] = ({ zodSchema, jsonSchema }) => {
    const lax = laxKeywords(zodSchema, jsonSchema);
    if (lax !== undefined) jsonSchema[SCHEMA_MARKS.lax] = lax;
    if (zodSchema._zod.def.type === 'object') askLess(zodSchema, jsonSchema);
    exact &&= lax === undefined && isExact(zodSchema);
  };
  const converted = convert(schema, { io: 'input', unrepresentable: 'any', override });
  return { schema: converted, exact };
}

/** A member is not required whose schema makes something of its absence, such as `catch` and `preprocess`. */
function askLess(zodSchema: Zod4Schema, jsonSchema: Written): void {
  const { required } = jsonSchema;
  const shape = zodSchema._zod.def['shape'] as Readonly<Record<string, Zod4Schema>> | undefined;
  if (!Array.isArray(required) || !shape) return;
  const asked = required.filter((name: string) => shape[name]?._zod.optin === undefined);
  if (asked.length > 0) jsonSchema['required'] = asked;
  else delete jsonSchema['required'];
}

import { resolvedModule } from './resolved-module.js';

/** JSON Schema of what a library's schema accepts, as far as that can be said. */
export interface LibraryJson {
  readonly schema: object;
  /** What fits it the library takes as well. */
  readonly exact: boolean;
}

type FromValibot = (schema: unknown, options: { readonly errorMode: 'ignore'; readonly typeMode: 'input'; readonly target: 'draft-2020-12' }) => object;

/** By `@valibot/to-json-schema`, where the application has it; undefined without it. */
export async function valibotJson(schema: object, file: string): Promise<LibraryJson | undefined> {
  const convert = (await resolvedModule(file, ['@valibot/to-json-schema'], 'toJsonSchema')) as FromValibot | undefined;
  try {
    const json = convert?.(schema, { errorMode: 'ignore', typeMode: 'input', target: 'draft-2020-12' });
    // Old converters write draft-07 whatever they are asked for, in which a tuple is said otherwise: what has one stays open.
    return json === undefined || /"items":\[/.test(JSON.stringify(json)) ? undefined : { schema: json, exact: false };
  } catch {
    // A kind of schema that the converter does not know: it stays open.
    return undefined;
  }
}

interface ArkType {
  readonly in?: { readonly toJsonSchema?: (options: { readonly fallback: (context: { readonly base: object }) => object }) => object };
}

/** By arktype itself, with what has no JSON form left open. */
export function arkTypeJson(schema: object): LibraryJson | undefined {
  try {
    const json = (schema as ArkType).in?.toJsonSchema?.({ fallback: ({ base }) => base });
    return json && { schema: json, exact: false };
  } catch {
    // A version without fallbacks: it stays open.
    return undefined;
  }
}

import type { StandardIssue, StandardResult } from 'treadle';

/** What zod 3 gives every schema; `~standard` only came with 3.24. */
export interface Zod3Schema {
  readonly _def: Readonly<Record<string, unknown>> & { readonly typeName: string };
  safeParse(value: unknown): Zod3Result;
  safeParseAsync(value: unknown): Promise<Zod3Result>;
}

type Zod3Result =
  | { readonly success: true; readonly data: unknown }
  | { readonly success: false; readonly error: { readonly issues: readonly StandardIssue[] } };

/** True for a schema of zod 3, whichever copy of it made it. */
export function isZod3(schema: unknown): schema is Zod3Schema {
  if (typeof schema !== 'object' || schema === null || '_zod' in schema) return false;
  const { _def: def, safeParseAsync } = schema as { _def?: unknown; safeParseAsync?: unknown };
  return typeof def === 'object' && def !== null && typeof (def as { typeName?: unknown }).typeName === 'string' && typeof safeParseAsync === 'function';
}

/** The validation of a zod 3 schema in the form of Standard Schema. Answers at once unless something in the schema cannot. */
export function zod3Validator(schema: Zod3Schema): (value: unknown) => StandardResult<unknown> | Promise<StandardResult<unknown>> {
  let later = false;
  return (value) => {
    if (!later) {
      try {
        return standardResult(schema.safeParse(value));
      } catch (error) {
        // zod 3 says in words alone that it met a promise. Anything else is an error of the application's own code.
        if (!(error instanceof Error) || !/synchronous parse/i.test(error.message)) throw error;
        later = true;
      }
    }
    return schema.safeParseAsync(value).then(standardResult);
  };
}

const standardResult = (result: Zod3Result): StandardResult<unknown> => (result.success ? { value: result.data } : { issues: result.error.issues });

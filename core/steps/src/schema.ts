/**
 * A schema object of any library that follows Standard Schema (zod 4, valibot, arktype, …).
 * @source https://standardschema.dev
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown, ...rest: never[]) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** A schema of zod 3 before it followed Standard Schema (3.22, 3.23). */
export interface Zod3Schema<Input = unknown, Output = Input> {
  readonly '~standard'?: never;
  readonly _input: Input;
  readonly _output: Output;
  readonly safeParseAsync: (value: unknown) => Promise<unknown>;
}

/** What `~standard.validate` returns: a value or issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One finding of a Standard Schema. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** JSON Schema 2020-12 as plain data. Written `as const` (or inside `step()`) it types the handler as well. */
export interface JsonSchema {
  readonly '~standard'?: never;
  readonly [keyword: string]: unknown;
}

/** Anything that describes a value: a Standard Schema, a schema of zod 3, or JSON Schema. */
export type Schema = StandardSchema<unknown, unknown> | Zod3Schema<unknown, unknown> | JsonSchema;

/** Type of a value that passed the schema, with defaults and transforms applied. */
export type OutputOf<S> =
  S extends { readonly '~standard': { readonly types?: { readonly output: infer O } | undefined } } ? O
  : S extends { readonly _output: infer O; readonly safeParseAsync: unknown } ? O
  : FromJsonSchema<S>;

/** Type of a value that the schema accepts, before defaults and transforms. */
export type InputOf<S> =
  S extends { readonly '~standard': { readonly types?: { readonly input: infer I } | undefined } } ? I
  : S extends { readonly _input: infer I; readonly safeParseAsync: unknown } ? I
  : FromJsonSchema<S>;

interface Primitives {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  null: null;
}

/** Type described by a JSON Schema literal, for the keywords that TypeScript can express; else `unknown`. */
export type FromJsonSchema<S> =
  S extends { readonly const: infer C } ? C
  : S extends { readonly enum: readonly (infer E)[] } ? E
  : S extends { readonly anyOf: readonly (infer U)[] } ? EachOf<U>
  : S extends { readonly oneOf: readonly (infer U)[] } ? EachOf<U>
  : S extends { readonly type: readonly (infer T)[] } ? OfType<T, S>
  : S extends { readonly type: infer T } ? OfType<T, S>
  : S extends { readonly properties: object } ? ObjectOf<S>
  : unknown;

type EachOf<U> = U extends unknown ? FromJsonSchema<U> : never;

type OfType<T, S> =
  T extends keyof Primitives ? Primitives[T]
  : T extends 'array' ? (S extends { readonly items: infer I } ? FromJsonSchema<I>[] : unknown[])
  : T extends 'object' ? ObjectOf<S>
  : unknown;

type ObjectOf<S> =
  S extends { readonly properties: infer P }
    ? Flat<
        & { -readonly [K in keyof P as K extends RequiredOf<S> ? K : never]: FromJsonSchema<P[K]> }
        & { -readonly [K in keyof P as K extends RequiredOf<S> ? never : K]?: FromJsonSchema<P[K]> }>
    : S extends { readonly additionalProperties: infer A } ? Record<string, A extends boolean ? unknown : FromJsonSchema<A>>
    : Record<string, unknown>;

type RequiredOf<S> = S extends { readonly required: readonly (infer R)[] } ? R : never;

/** Shows an intersection as one object type. */
export type Flat<T> = { [K in keyof T]: T[K] } & {};

/** JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Keywords that Treadle adds to JSON Schema draft-07; all optional. */
export interface SchemaExtensions {
  /** Redacted in every print, error and log. */
  readonly 'x-secret'?: boolean;
  /** Unit of a number: `ms`, `bytes`, `seconds`. */
  readonly 'x-unit'?: string;
  /** Environment variable that applies when YAML does not write the setting. */
  readonly 'x-env'?: string;
  /**
   * Further variables that apply then, and what their words, in any case, mean for the setting: a standard variable has a vocabulary
   * of its own. `x-env` comes first, and an empty one of these counts as not set.
   */
  readonly 'x-env-words'?: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly 'x-advanced'?: boolean;
  /** A reload changes it in the running module by `Lifecycle.reconfigure`; a change of any other setting restarts the module. */
  readonly 'x-live'?: boolean;
  /** "use …"; using the key gives a warning. */
  readonly 'x-deprecated'?: string;
  readonly 'x-since'?: string;
  readonly 'x-enum-docs'?: Readonly<Record<string, string>>;
  /** The value is an adapter entry (or a list of them) for this slot. */
  readonly 'x-slot'?: string;
}

/** JSON Schema draft-07 of a class's config; `C` is the type of the validated value. */
export interface ConfigSchema<C = unknown> extends SchemaExtensions {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, ConfigSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | ConfigSchema;
  readonly items?: ConfigSchema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly anyOf?: readonly ConfigSchema[];
  readonly oneOf?: readonly ConfigSchema[];
  readonly allOf?: readonly ConfigSchema[];
  readonly if?: ConfigSchema;
  readonly then?: ConfigSchema;
  readonly else?: ConfigSchema;
  readonly not?: ConfigSchema;
  /** Never present; carries the type. */
  readonly _config?: C;
}

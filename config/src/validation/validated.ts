import type { Environment, ConfigSchema, SourceLocation } from '@treadle/api';
import type { Located } from '../located.js';

/** What `validateConfig` needs to know of one entry. */
export interface ValidateInput {
  /** The entry's `config` node; undefined when nothing is written. */
  readonly tree: Located | undefined;
  readonly schema: ConfigSchema;
  /** e.g. `modules[2].config`; every error's text begins with it. */
  readonly path: string;
  /** Class id, or `engine`; errors name it. */
  readonly owner: string;
  /** Of the entry; where missing keys are reported when no config is written. */
  readonly at: SourceLocation;
  /** For settings with `x-env`. */
  readonly env: Environment;
  /** Top-level keys whose value is an adapter entry: checked to be present when required, otherwise left out. */
  readonly slotKeys: readonly string[];
}

/** A validated config. */
export interface Validated {
  /** Deeply frozen; maps have no prototype. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Where each value comes from; key: its path inside the config, e.g. `cors.origins[0]`. */
  readonly origins: Origins;
  /** Values that came from set environment variables. */
  readonly envCount: number;
}

/** By path inside the config, e.g. `cors.origins[0]`. */
export type Origins = Readonly<Record<string, Origin>>;

/** Where a value comes from. */
export type Origin =
  | { readonly kind: 'file'; readonly at: SourceLocation }
  /** `at` is absent for a setting's own variable (`x-env`); `fromDefault`: the variable is not set, the placeholder's default was taken. */
  | { readonly kind: 'env'; readonly variable: string; readonly at?: SourceLocation; readonly fromDefault?: boolean }
  | { readonly kind: 'default' };

import type { ConfigSchema, SourceLocation } from '@treadle/api';
import type { Origins } from '../validation/validated.js';

/** A validated section with what is needed to print it. */
export interface EffectiveSection {
  /** In the configuration, e.g. `modules[2].config`; of an entry that the file does not name it begins with the class. */
  readonly path: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly origins: Origins;
  /** Says which settings are secret. */
  readonly schema: ConfigSchema;
}

/** The adapter in a slot of an entry. */
export interface EffectiveAdapter extends EffectiveSection {
  /** Key in the module's config; of an adapter within another one that of the other first: `adapter.store`. */
  readonly slot: string;
  /** Path of the adapter whose config it stands in; absent: it stands in the module's. */
  readonly within?: string | undefined;
  /** The slot's value is a list. */
  readonly many: boolean;
  readonly class: string;
  /** The alias that the file uses. */
  readonly servedAs?: string | undefined;
  /** Absent: not in the file, built because it is the slot's default. */
  readonly at?: SourceLocation | undefined;
}

/** One module of the effective configuration. */
export interface EffectiveEntry extends EffectiveSection {
  readonly class: string;
  /** The alias that the file uses. */
  readonly servedAs?: string | undefined;
  readonly name?: string | undefined;
  /** Added because the file does not name it. */
  readonly implicit: boolean;
  readonly at?: SourceLocation | undefined;
  /** In the order of the slots; those of one list in its order. */
  readonly adapters: readonly EffectiveAdapter[];
}

/** The whole effective configuration. */
export interface EffectiveConfig {
  readonly entries: readonly EffectiveEntry[];
  readonly plugins: readonly { readonly name: string; readonly at?: SourceLocation | undefined }[];
  readonly engine: EffectiveSection;
}

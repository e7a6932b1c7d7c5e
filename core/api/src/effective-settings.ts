import { token } from './token.js';

/** Where the value of a setting comes from. */
export type SettingOrigin =
  | { readonly kind: 'default' }
  /** `preset`: one that comes with the engine. */
  | { readonly kind: 'file' | 'preset'; readonly line?: number }
  /** `isDefault`: the variable is not set, and the default beside its name was taken. `line`: where the file names it. */
  | { readonly kind: 'environment'; readonly variable: string; readonly line?: number; readonly isDefault?: true }
  /** An option of the command line, e.g. `--port`. */
  | { readonly kind: 'flag'; readonly flag: string }
  /** What the command stands for, as `treadle dev` for `engine.mode`. */
  | { readonly kind: 'command' };

/** One value that the engine goes by. */
export interface EffectiveSetting {
  /** Class of the module or adapter; absent for the engine's own settings. */
  readonly module?: string;
  /** In the configuration, e.g. `modules[2].config.port`; of a module that the file does not name it begins with the class. */
  readonly path: string;
  /** Without what is secret. */
  readonly value: null | boolean | number | string | readonly never[] | Readonly<Record<string, never>>;
  /** The value is not shown. */
  readonly secret: boolean;
  readonly origin: SettingOrigin;
}

/** The configuration that the engine goes by, value by value. */
export interface EffectiveSettings {
  /** Those of the plan that runs; others after a reload. */
  list(): readonly EffectiveSetting[];
}
export const EffectiveSettings = token<EffectiveSettings>('engine.EffectiveSettings');

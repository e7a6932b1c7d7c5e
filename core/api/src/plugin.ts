import type { Ctor } from './declare.js';
import type { Lifecycle } from './lifecycle.js';

/** Format of the value that `definePlugin` makes; the kernel refuses others. */
export const PLUGIN_FORMAT = 1;
const PLUGIN_TYPE = 'treadle/Plugin';

/** What a package exports by default: the classes it brings. A plain value; nothing happens when it is imported. */
export interface Plugin {
  readonly $type: typeof PLUGIN_TYPE;
  readonly format: number;
  readonly name: string;
  readonly version: string;
  /** Range of `@treadle/api` versions that the package was written for. */
  readonly api: string;
  readonly modules: readonly Ctor<Lifecycle>[];
  readonly adapters: readonly Ctor<Lifecycle>[];
}

/** What `definePlugin` takes. */
export interface PluginDefinition {
  readonly name: string;
  readonly version: string;
  /** Range of versions of `@treadle/api` that it works with, as npm writes them. */
  readonly api: string;
  readonly modules?: readonly Ctor<Lifecycle>[];
  readonly adapters?: readonly Ctor<Lifecycle>[];
}

/** Makes the default export of a plugin package. */
export function definePlugin(definition: PluginDefinition): Plugin {
  const { name, version, api, modules = [], adapters = [] } = definition;
  return Object.freeze({ $type: PLUGIN_TYPE, format: PLUGIN_FORMAT, name, version, api, modules, adapters });
}

/** True for a value made by any copy of `definePlugin`, whatever its format. */
export function isPlugin(value: unknown): value is Plugin {
  return typeof value === 'object' && value !== null && (value as Plugin).$type === PLUGIN_TYPE;
}

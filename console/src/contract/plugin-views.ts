import type { CodeView, DeclaredView } from '@treadle/api';
import type { ModuleInfo } from './modules.js';

/** What is known of a plugin's view besides what its manifest declares. */
export interface PluginViewFacts {
  /** Of its address, `/x/<plugin>/<id>`. */
  readonly plugin: string;
  readonly package: string;
  readonly version: string;
  /** Of the view's module; its routes are answered while it runs. */
  readonly status: ModuleInfo['status'];
}

/**
 * One of `GET /plugin-views`' items: a view of a plugin whose module is in this engine. Of a view with code, `entry` is a path below the page's base,
 * e.g. `/x-assets/line/0f3a/meter.js`: another one after the package's files have changed.
 */
export type PluginView = PluginViewFacts & (DeclaredView | CodeView);

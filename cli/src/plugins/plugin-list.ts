import type { RegisteredClass } from '@treadle/kernel';
import type { Application } from '../application/application.js';
import { formatTable } from '../terminal/table.js';
import { findPluginPackages } from './plugin-packages.js';

/** A package that adds classes or commands. */
export interface ListedPlugin {
  readonly name: string;
  readonly version: string;
  /** It comes with the engine. */
  readonly builtin: boolean;
  /** Sorted ids. */
  readonly classes: readonly string[];
  /** Brings commands. */
  readonly commands: boolean;
}

/** What is installed: packages that bring classes, then those that bring commands alone; by name, the engine's own last. */
export function listPlugins(application: Application, classes: readonly RegisteredClass[], listed: readonly string[]): readonly ListedPlugin[] {
  const withCommands = findPluginPackages({ ...application, listed });
  const plugins = new Map<string, ListedPlugin>();
  for (const { spec: { id }, package: plugin, builtin } of classes) {
    const known = plugins.get(plugin.name);
    const commands = withCommands.some(({ name }) => name === plugin.name);
    plugins.set(plugin.name, { name: plugin.name, version: plugin.version, builtin, commands, classes: [...known?.classes ?? [], id].sort() });
  }
  for (const { name, manifest } of withCommands) {
    if (!plugins.has(name)) plugins.set(name, { name, version: String(manifest['version'] ?? ''), builtin: false, commands: true, classes: [] });
  }
  return [...plugins.values()].sort((a, b) => Number(a.builtin) - Number(b.builtin) || (a.name < b.name ? -1 : 1));
}

/** The list as a table. */
export function formatPlugins(plugins: readonly ListedPlugin[], width?: number): string {
  const rows = plugins.map(({ name, version, builtin, classes, commands }) => {
    const brings = [...classes, ...(commands ? ['commands'] : [])].join(', ');
    return [name, version, builtin ? 'built-in' : 'plugin', brings];
  });
  return formatTable([['PACKAGE', 'VERSION', 'FROM', 'BRINGS'], ...rows], width);
}

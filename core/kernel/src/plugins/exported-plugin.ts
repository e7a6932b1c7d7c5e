import { PLUGIN_FORMAT, isPlugin, type Plugin } from '@treadle/api';

/** The plugin that a module exports, or a description of what it exports instead. */
export function exportedPlugin(exports: unknown): Plugin | { readonly found: string } {
  const named = exports as Readonly<Record<string, unknown>>;
  // A CommonJS package compiled from `export default` arrives as { default: { default } }.
  const wrapped = (named['default'] as { default?: unknown } | undefined | null)?.default;
  const value = isPlugin(wrapped) ? wrapped : named['default'];
  if (isPlugin(value) && Array.isArray(value.modules) && Array.isArray(value.adapters)) return value;
  if (isPlugin(value)) return { found: `a plugin of format ${value.format} without lists of classes` };
  return { found: 'default' in named ? describe(value) : describeNames('no default', Object.keys(named)) };
}

/** True when the kernel can use the plugin's format. */
export function isUsableFormat(plugin: Plugin): boolean {
  return plugin.format === PLUGIN_FORMAT;
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'function') return `function ${value.name || '(anonymous)'}`;
  if (typeof value !== 'object') return typeof value;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return describeNames('object', Object.keys(value));
}

function describeNames(what: string, names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ') + (names.length > 5 ? ', …' : '');
  if (what === 'object') return names.length === 0 ? 'an empty object' : `object with keys ${shown}`;
  return names.length === 0 ? 'no exports' : `named exports ${shown}`;
}

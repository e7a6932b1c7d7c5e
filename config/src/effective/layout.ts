import { formatLocation, type SourceLocation } from '@treadle/api';
import type { EffectiveAdapter, EffectiveConfig, EffectiveEntry, EffectiveSection } from './effective-config.js';
import { itemPath, keyPath } from '../located.js';
import type { Origin, Origins } from '../validation/validated.js';
import { withoutSecrets } from './without-secrets.js';
import type { YamlNode } from './yaml-text.js';

const ADDED = 'added: not in the file';

/** The effective configuration as the tree that is printed. */
export function layOut({ plugins, engine, entries }: EffectiveConfig): YamlNode {
  const listed = plugins.map(({ name, at }): YamlNode => ({ kind: 'scalar', value: name, comment: lineOf(at) }));
  return mapOf([
    ...(listed.length > 0 ? [['plugins', { kind: 'list', items: listed }] as const] : []),
    ['engine', section(engine)],
    ['modules', { kind: 'list', items: entries.map(entryNode) }],
  ]);
}

function entryNode(entry: EffectiveEntry): YamlNode {
  const { name } = entry;
  const comment = entry.implicit ? ADDED : `${lineOf(entry.at) ?? ''}${servedBy(entry)}`;
  const config = withAdapters(section(entry), entry.adapters);
  return mapOf([
    ['class', { kind: 'scalar', value: entry.servedAs ?? entry.class, comment }],
    ...(name === undefined ? [] : [['name', { kind: 'scalar', value: name }] as const]),
    ...(config.size > 0 ? [['config', { kind: 'map', entries: config }] as const] : []),
  ]);
}

/** @param within path of the adapter whose config it is; undefined: it is the module's */
function withAdapters(config: YamlNode & { kind: 'map' }, adapters: readonly EffectiveAdapter[], within?: string): ReadonlyMap<string, YamlNode> {
  const entries = new Map(config.entries);
  for (const adapter of adapters.filter((one) => one.within === within)) {
    const key = adapter.slot.slice(adapter.slot.lastIndexOf('.') + 1);
    const before = entries.get(key);
    const node = adapterNode(adapter, adapters);
    const items = before?.kind === 'list' ? [...before.items, node] : [node];
    entries.set(key, adapter.many ? { kind: 'list', items } : node);
  }
  return entries;
}

function adapterNode(adapter: EffectiveAdapter, all: readonly EffectiveAdapter[]): YamlNode {
  const own = section(adapter);
  const config = { ...own, entries: withAdapters(own, all, adapter.path) };
  const comment = adapter.at ? `${lineOf(adapter.at) ?? ''}${servedBy(adapter)}` : ADDED;
  return mapOf([
    ['class', { kind: 'scalar', value: adapter.servedAs ?? adapter.class, comment }],
    ...(config.entries.size > 0 ? [['config', config] as const] : []),
  ]);
}

function servedBy(part: EffectiveEntry | EffectiveAdapter): string {
  return part.servedAs === undefined ? '' : `, served by ${part.class}`;
}

function section(part: EffectiveSection): YamlNode & { kind: 'map' } {
  return mapNode(withoutSecrets(part), '', part.origins);
}

function mapNode(values: object, place: string, origins: Origins): YamlNode & { kind: 'map' } {
  const entries = Object.entries(values).map(([key, value]): [string, YamlNode] => [key, valueNode(value, keyPath(place, key), origins)]);
  return { kind: 'map', entries: new Map(entries), comment: originText(origins[place]) };
}

function valueNode(value: unknown, place: string, origins: Origins): YamlNode {
  const comment = originText(origins[place]);
  if (Array.isArray(value)) {
    return { kind: 'list', items: value.map((item, index) => valueNode(item, itemPath(place, index), origins)), comment };
  }
  if (typeof value === 'object' && value !== null) return mapNode(value, place, origins);
  return { kind: 'scalar', value: value as string | number | boolean | null, comment };
}

function mapOf(entries: readonly (readonly [string, YamlNode])[]): YamlNode & { kind: 'map' } {
  return { kind: 'map', entries: new Map(entries) };
}

function originText(origin: Origin | undefined): string | undefined {
  switch (origin?.kind) {
    case 'file': return lineOf(origin.at);
    case 'env': return origin.fromDefault ? `default of ${origin.variable}, ${lineOf(origin.at)}` : `env ${origin.variable}`;
    case 'default': return 'default';
    default: return undefined;
  }
}

function lineOf(at: SourceLocation | undefined): string | undefined {
  return at && formatLocation({ file: at.file, ...(at.line !== undefined && { line: at.line }) });
}

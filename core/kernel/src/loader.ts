import { adapterSpecOf, moduleSpecOf, treadleError, TreadleError, type Plugin, type PluginViews } from '@treadle/api';
import type { PluginEntry } from '@treadle/config';
import type { Issues } from './planning/issues.js';
import { otherApi, ownApi } from './plugins/api-copy.js';
import { readConsoleViews } from './plugins/console-views.js';
import { exportedPlugin, isUsableFormat } from './plugins/exported-plugin.js';
import { importPlugin } from './plugins/import-plugin.js';
import { locate, realPath, shownPath } from './plugins/lookup.js';
import { readManifest, type Manifest } from './plugins/manifest.js';
import type { PluginSource } from './registry.js';
import { previousLine, satisfies } from './semver.js';

/** Where and how plugins are loaded. */
export interface LoadOptions {
  /** The config file's folder. */
  readonly folder: string;
  /** Longest loading of one plugin. */
  readonly timeoutMs: number;
  readonly builtins: readonly Plugin[];
  readonly issues: Issues;
}

/** Stage 4: the packages of `plugins:`, each manifest checked before the package's code runs. Faulty ones are left out. */
export async function loadPlugins(entries: readonly PluginEntry[], options: LoadOptions): Promise<readonly PluginSource[]> {
  const sources: PluginSource[] = [];
  const seen = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    // The distribution brings it already.
    if (options.builtins.some((builtin) => builtin.name === entry.name)) continue;
    const plugin = isRepeated(entry, index, seen, options) ? undefined : await load(entry, options);
    if (plugin) sources.push({ ...plugin, builtin: false, at: entry.at, views: withOwnId(plugin.views, sources, entry, options) });
  }
  return sources;
}

function isRepeated(entry: PluginEntry, index: number, seen: Map<string, number>, options: LoadOptions): boolean {
  const location = locate(entry.name, options.folder);
  const place = location.kind === 'package' ? location.folder : location.kind === 'file' ? location.file : undefined;
  if (place === undefined) return false;
  const first = seen.get(realPath(place));
  seen.set(realPath(place), first ?? index);
  if (first === undefined) return false;
  options.issues.add(treadleError('CONFIG_BAD_VALUE', {
    path: `plugins[${index}]`, problem: `"${entry.name}" is already listed at plugins[${first}]`,
  }, { at: entry.at }));
  return true;
}

/** A plugin and what it adds to the console. */
type Loaded = Pick<PluginSource, 'plugin' | 'views'>;

async function load(entry: PluginEntry, options: LoadOptions): Promise<Loaded | undefined> {
  const { name, at } = entry;
  const location = locate(name, options.folder);
  switch (location.kind) {
    case 'not_installed':
      options.issues.add(treadleError('PLUGIN_NOT_INSTALLED', { name, folder: location.folder, parents: location.parents }, { at }));
      return undefined;
    case 'not_found':
      options.issues.add(treadleError('PLUGIN_NOT_FOUND', { name, path: location.path }, { at }));
      return undefined;
    case 'file':
      return loadFile(location.file, entry, options);
    default:
      return loadPackage(location.folder, entry, options);
  }
}

/** The addresses of views begin with an id that only one plugin may have. */
function withOwnId(views: PluginViews | undefined, sources: readonly PluginSource[], { at }: PluginEntry, { issues }: LoadOptions): PluginViews | undefined {
  const other = sources.find((source) => views !== undefined && source.views?.manifest.id === views.manifest.id)?.views;
  if (!views || !other) return views;
  issues.add(treadleError('CONFIG_BAD_VALUE', { path: 'plugins', problem: `the views of ${views.package} have the id "${views.manifest.id}", as those of ${other.package}` }, { at }));
  return undefined;
}

/** A single file has no manifest: what `definePlugin` was given is checked instead. */
async function loadFile(file: string, entry: PluginEntry, options: LoadOptions): Promise<Loaded | undefined> {
  const subject = { name: entry.name, version: '(a file)', entry: file };
  const plugin = await importChecked(subject, entry, options);
  if (!plugin) return undefined;
  const mismatch = apiMismatch(plugin, plugin.api, entry);
  if (mismatch) options.issues.add(mismatch);
  return mismatch ? undefined : { plugin };
}

async function loadPackage(folder: string, entry: PluginEntry, options: LoadOptions): Promise<Loaded | undefined> {
  const manifest = readManifest(folder, entry.name, entry.at);
  if (manifest instanceof TreadleError) {
    options.issues.add(manifest);
    return undefined;
  }
  const mismatches = [apiMismatch(manifest, manifest.api, entry), nodeMismatch(manifest, entry)]
    .filter((mismatch) => mismatch !== undefined);
  options.issues.add(...mismatches);
  if (mismatches.length > 0) return undefined;
  const plugin = await importChecked(manifest, entry, options, folder);
  if (!plugin) return undefined;
  const unlisted = provideMismatches(plugin, manifest, entry);
  const views = readConsoleViews(manifest, options.folder);
  options.issues.add(...unlisted, ...views?.issues ?? []);
  // The manifest's name counts: it is what npm installed.
  return unlisted.length > 0 ? undefined : { plugin: { ...plugin, name: manifest.name, version: manifest.version }, views: views?.value };
}

/** Imports the entry and takes its plugin; `folder` is the package's. */
async function importChecked(
  subject: Pick<Manifest, 'name' | 'version' | 'entry'>, { at }: PluginEntry, options: LoadOptions, folder?: string,
): Promise<Plugin | undefined> {
  const { name, version, entry } = subject;
  const imported = await importPlugin({ name, version, entry, at, folder: options.folder, timeoutMs: options.timeoutMs });
  if (imported instanceof TreadleError) {
    options.issues.add(imported);
    return undefined;
  }
  const plugin = exportedPlugin(imported.exports);
  const shownEntry = shownPath(entry, folder ?? options.folder);
  if ('found' in plugin) {
    options.issues.add(treadleError('PLUGIN_BAD_EXPORT', { name, version, entry: shownEntry, found: plugin.found }, { at }));
    return undefined;
  }
  const usable = isUsableFormat(plugin);
  const copy = folder === undefined ? undefined : otherApi(folder);
  if (copy) {
    const params = { name, version, copyVersion: copy.version, folder: shownPath(copy.within, realPath(options.folder)) };
    options.issues.add(treadleError(usable ? 'PLUGIN_DUPLICATE_API_COPY' : 'PLUGIN_DUPLICATE_API', params, { at }));
  } else if (!usable) {
    const found = `a plugin of format ${plugin.format}`;
    options.issues.add(treadleError('PLUGIN_BAD_EXPORT', { name, version, entry: shownEntry, found }, { at }));
  }
  return usable ? plugin : undefined;
}

function apiMismatch(
  { name, version }: { name: string; version: string }, needs: string, { at }: PluginEntry,
): TreadleError | undefined {
  const has = ownApi().version;
  if (satisfies(has, needs)) return undefined;
  const upgrade = previousLine(version, needs, has);
  return treadleError('PLUGIN_API_MISMATCH', { name, version, needs, has, ...(upgrade && { upgrade }) }, { at });
}

function nodeMismatch({ name, version, node }: Manifest, { at }: PluginEntry): TreadleError | undefined {
  const has = process.versions.node;
  if (node === undefined || satisfies(has, node)) return undefined;
  return treadleError('PLUGIN_NODE_MISMATCH', { name, version, needs: node, has }, { at });
}

/** The manifest must list exactly what the code exports; a class without declaration is the registry's to report. */
function provideMismatches(plugin: Plugin, { name, version, provides }: Manifest, { at }: PluginEntry): readonly TreadleError[] {
  const isClass = (target: unknown): boolean => typeof target === 'function';
  const specs = [...plugin.modules.filter(isClass).map(moduleSpecOf), ...plugin.adapters.filter(isClass).map(adapterSpecOf)];
  const exported = specs.filter((spec) => spec !== undefined).map((spec) => spec.id as string);
  const mismatch = (id: string, listed: boolean): TreadleError =>
    treadleError('PLUGIN_PROVIDES_MISMATCH', { name, version, class: id, listed }, { at });
  return [
    ...exported.filter((id) => !provides.includes(id)).map((id) => mismatch(id, false)),
    ...provides.filter((id) => !exported.includes(id)).map((id) => mismatch(id, true)),
  ];
}

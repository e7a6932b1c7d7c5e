import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConsoleManifest, type PluginViews, treadleError, type TreadleError } from '@treadle/api';
import { itemPath, keyPath, type LocatedMap, type Outcome, parseConfig, validateConfig } from '@treadle/config';
import { shownPath } from './lookup.js';
import type { Manifest } from './manifest.js';

/** The views that a package declares for the console, each fault with its place in the file; undefined: it declares none. `folder`: the config file's. */
export function readConsoleViews(manifest: Manifest, folder: string): Outcome<PluginViews | undefined> | undefined {
  const { name, version, console: file } = manifest;
  if (file === undefined) return undefined;
  const { value: tree, issues } = parseConfig(readFileSync(file, 'utf8'), shownPath(file, folder));
  if (!tree || issues.length > 0) return { value: undefined, issues };
  const checked = validateConfig({ tree, schema: ConsoleManifest, path: '', owner: `the console's manifest of ${name}`, at: tree.at, env: {}, slotKeys: [] });
  if (!checked.value) return { value: undefined, issues: checked.issues };
  const views: PluginViews = { package: name, version, folder: dirname(file), manifest: checked.value.config as unknown as ConsoleManifest };
  const faults = viewFaults(views, manifest, tree);
  return { value: faults.length > 0 ? undefined : views, issues: [...checked.issues, ...faults] };
}

/** What no schema can say. */
function viewFaults({ folder, manifest: { views } }: PluginViews, { provides }: Manifest, { at }: LocatedMap): readonly TreadleError[] {
  return views.flatMap((view, index) => {
    const path = itemPath('views', index);
    const fault = (key: string, problem: string): TreadleError => treadleError('CONFIG_BAD_VALUE', { path: keyPath(path, key), problem }, { at });
    return [
      ...provides.includes(view.module) ? [] : [fault('module', `the package provides no class "${view.module}"`)],
      ...views.findIndex(({ id }) => id === view.id) === index ? [] : [fault('id', `there is a view "${view.id}" already`)],
      ...view.tier === 'module' && !existsSync(resolve(folder, view.entry)) ? [fault('entry', `there is no file "${view.entry}"`)] : [],
    ];
  });
}

import type { AdminCatalog, ConsoleView, PluginViews } from '@treadle/api';
import type { ConsoleConfig } from '../console.config.js';
import type { ModuleInfo, PluginView } from '../contract/index.js';
import { entryPath, viewFiles } from './view-files.js';

type Shown = ConsoleConfig['plugin_views'];

/** A view of a plugin whose module is in this engine. */
export interface ShownView {
  readonly of: PluginViews;
  readonly view: ConsoleView;
  readonly status: ModuleInfo['status'];
}

/** Those that the configuration lets in. */
export function shownViews(catalog: AdminCatalog, shown: Shown): readonly ShownView[] {
  if (shown === 'none') return [];
  const status = new Map<string, ModuleInfo['status']>(catalog.instances().map((one) => [one.instance.classId, one.status]));
  return catalog.views().flatMap((of) => of.manifest.views.flatMap((view): readonly ShownView[] => {
    const own = status.get(view.module);
    return own === undefined || (view.tier === 'module' && shown === 'declarative') ? [] : [{ of, view, status: own }];
  }));
}

/** `GET /plugin-views` */
export async function pluginViews(catalog: AdminCatalog, shown: Shown): Promise<readonly PluginView[]> {
  return Promise.all(shownViews(catalog, shown).map(async ({ of, view, status }): Promise<PluginView> => {
    const facts = { plugin: of.manifest.id, package: of.package, version: of.version, status };
    if (view.tier === 'declarative') return { ...view, ...facts };
    return { ...view, ...facts, entry: entryPath(of, view, (await viewFiles(of, view)).digest) };
  }));
}

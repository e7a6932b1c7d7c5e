import type { ComponentType } from 'react';
import type { PluginView } from '../api/types.generated.js';
import type { IconName } from '../parts/icon.js';
import { type Lazy, lazily } from '../parts/lazily.js';
import { askForHome } from '../views/home/first-questions.js';
import { paths } from '../url/paths.js';

/** A view of the navigation. */
export interface View {
  readonly id: string;
  readonly title: string;
  /** Second key after `g`. */
  readonly key: string;
  readonly path: string;
  readonly icon: IconName;
  readonly component: Lazy<object>;
  /** Asks for what it shows before its code is there. */
  readonly ask?: () => void;
}

const view = (id: IconName, key: string, load: () => Promise<{ default: ComponentType }>, ask?: () => void): View => {
  const title = id.charAt(0).toUpperCase() + id.slice(1);
  return { id, title, key, path: id === 'home' ? '/' : `/${id}`, icon: id, component: lazily(load, title), ...ask && { ask } };
};

/** In the order of the navigation; each is loaded when it is first opened. */
export const VIEWS: readonly View[] = [
  view('home', 'h', () => import('../views/home/home-view.js'), askForHome),
  view('flows', 'f', () => import('../views/flows/flows-view.js')),
  view('endpoints', 'e', () => import('../views/endpoints/endpoints-view.js')),
  view('traces', 't', () => import('../views/traces/traces-view.js')),
  view('logs', 'l', () => import('../views/logs/logs-view.js')),
  view('state', 's', () => import('../views/state/state-view.js')),
  view('streams', 'r', () => import('../views/streams/streams-view.js')),
  view('queues', 'q', () => import('../views/queues/queues-view.js')),
  view('cron', 'c', () => import('../views/cron/cron-view.js')),
  view('metrics', 'm', () => import('../views/metrics/metrics-view.js')),
  view('modules', 'o', () => import('../views/modules/modules-view.js')),
];

/** The view that a path belongs to: that of its first segment. */
export function viewOf(path: string): View | undefined {
  const first = path.split('/')[1] ?? '';
  if (first === 'x') return PLUGIN_VIEW;
  return VIEWS.find(({ id }) => id === (first === '' ? 'home' : first));
}

/** Views of plugins, each at `/x/<plugin>/<view>` and what is below it. */
export const PLUGIN_VIEW: View = {
  id: 'x', title: 'Plugin', key: '', path: '/x', icon: 'plugin', component: lazily(() => import('../views/plugins/plugin-view.js'), 'Plugin'),
};

/** Whether a path is of that view, or below it. */
export function isPluginViewAt(path: string, view: Pick<PluginView, 'plugin' | 'id'>): boolean {
  const own = paths.pluginView(view);
  return path === own || path.startsWith(`${own}/`);
}

import { parseClassId } from '@treadle/api';
import { Refusal } from '../server/refusal.js';
import type { Surroundings } from './surroundings.js';

/** `GET /engine`. */
export function engineOverview({ engine, health, catalog }: Surroundings): object {
  const { version, mode, application, root, dataDir, configFile } = engine;
  return {
    version, mode, application, root, dataDir, ...configFile === undefined ? {} : { configFile }, pid: process.pid,
    addresses: Object.fromEntries(catalog.addresses()), health: health.report(),
  };
}

/** `GET /modules`: what was started, how it is, and what of it is served below its own path. */
export function modulesOverview({ catalog }: Surroundings): object {
  const routes = catalog.routes();
  const modules = catalog.instances().map(({ instance, status, message, capabilities }) => {
    const { id, classId, name, path, version } = instance;
    return {
      id, class: classId, ...name === undefined ? {} : { name }, kind: parseClassId(classId)?.kind ?? 'module', path, package: instance.package, version,
      status, ...message === undefined ? {} : { message }, ...capabilities === undefined ? {} : { capabilities },
      routes: routes.filter((route) => route.instance === id && route.classId === classId).map(({ method, path: below }) => ({ method, path: below })),
    };
  });
  return { items: modules };
}

/** `GET /steps`. @throws {Refusal} 404 when no module provides Steps */
export function stepsOverview({ steps }: Surroundings): object {
  if (!steps) throw new Refusal(404, 'module_not_loaded', 'no module of this engine provides Steps');
  return {
    items: steps.steps(), diagnostics: steps.diagnostics(), sessions: steps.sessions(), workers: steps.workers(), crashes: steps.crashes(),
  };
}

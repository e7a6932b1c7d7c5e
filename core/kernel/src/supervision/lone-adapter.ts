import { randomUUID } from 'node:crypto';
import { EngineInfo, type Lifecycle } from '@treadle/api';
import type { EnginePlan, PlannedAdapter } from '../planned.js';
import { CONFIG, Scope } from '../scope.js';
import { plugIn } from './running-entry.js';

/**
 * An adapter of a plan without its module and without an engine, for commands that work on what it keeps; only constructed. Ports of modules are not there.
 * @throws {TreadleError} DI_UNKNOWN_TOKEN when its constructor asks for one
 */
export function buildLoneAdapter(plan: EnginePlan, planned: PlannedAdapter): Lifecycle {
  const { env, mode, root, dataDir, configFile, application } = plan;
  const scope = Scope.root();
  scope.value(EngineInfo, { env, mode, root, dataDir, configFile, application, version: planned.instance.version, engineId: randomUUID(), announce: () => undefined });
  scope.value(CONFIG, planned.config);
  const within = plan.entries.flatMap(({ adapters }) => adapters).filter((adapter) => adapter.within === planned.instance.path);
  plugIn(scope, planned.spec.slots, within.map((inner) => ({ planned: inner, object: buildLoneAdapter(plan, inner) })));
  return scope.build(planned.target);
}

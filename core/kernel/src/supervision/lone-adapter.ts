import { randomUUID } from 'node:crypto';
import { EngineInfo, type Lifecycle } from '@treadle/api';
import type { EnginePlan, PlannedAdapter } from '../planned.js';
import { CONFIG, Scope } from '../scope.js';

/**
 * An adapter of a plan without its module and without an engine, for commands that work on what it keeps; only constructed. Ports of modules are not there.
 * @throws {TreadleError} DI_UNKNOWN_TOKEN when its constructor asks for one
 */
export function buildLoneAdapter({ env, mode, root, dataDir, configFile, application }: EnginePlan, planned: PlannedAdapter): Lifecycle {
  const scope = Scope.root();
  scope.value(EngineInfo, { env, mode, root, dataDir, configFile, application, version: planned.instance.version, engineId: randomUUID(), announce: () => undefined });
  scope.value(CONFIG, planned.config);
  return scope.build(planned.target);
}

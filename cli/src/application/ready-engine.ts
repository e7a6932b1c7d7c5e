import type * as EnginePackage from '@treadle/engine';
import type { Application } from './application.js';
import { applicationEnvironment, type Environment } from './dotenv.js';
import { loadEngine } from './engine-package.js';
import { planApplication, type PlanRequest, requirePlan } from './plan.js';
import { requireApplication } from './presence.js';

/** What a command runs in this process. */
export interface ReadyEngine {
  readonly engine: typeof EnginePackage;
  readonly application: Application;
  /** Of this process, and of the application's `.env` files. */
  readonly env: Environment;
}

/**
 * Finds the application, its engine and its variables.
 * With `json` a faulty configuration fails here: the engine prints it as text, and `--json` promises a document.
 * @throws {Failures}
 */
export async function readyEngine(request: PlanRequest, json: boolean): Promise<ReadyEngine> {
  const application = requireApplication(request.config);
  if (json) requirePlan(await planApplication(request));
  const engine = await loadEngine(application, request);
  return { engine, application, env: await applicationEnvironment(application, request.mode) };
}

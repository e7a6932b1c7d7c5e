import type { EnginePlan, PlanResult } from '@treadle/kernel';
import type * as EnginePackage from '@treadle/engine';
import { Failures } from '../failure.js';
import { configName, locateApplication, type Application } from './application.js';
import { applicationEnvironment, type Environment } from './dotenv.js';
import { loadEngine } from './engine-package.js';

/** What a command that looks at the configuration was asked for. */
export interface PlanRequest {
  /** Value of `--config`. */
  readonly config?: string | undefined;
  /** Which `.env` files are read. Default: `NODE_ENV`, or development. */
  readonly mode?: 'development' | 'production' | 'test' | undefined;
  /** Whether the engine may be installed where it is missing; default: no. Only commands that run or build an application may. */
  readonly install?: boolean | undefined;
}

/** An application, its engine, and what came of checking its configuration. */
export interface Planning {
  readonly application: Application;
  readonly engine: typeof EnginePackage;
  readonly result: PlanResult;
  /** How the configuration is called in messages. */
  readonly name: string;
  /** What `${VAR}` was read from. */
  readonly env: Environment;
}

/** Finds the application and its engine and checks the configuration (stages 1 to 8); starts nothing. */
export async function planApplication(request: PlanRequest): Promise<Planning> {
  const application = locateApplication(process.cwd(), request.config);
  const engine = await loadEngine(application, request);
  const { planEngine } = await import('@treadle/kernel');
  const { cwd, configFile } = application;
  const env = await applicationEnvironment(application, request.mode);
  const result = await planEngine({
    cwd, env, builtins: engine.BUILTIN_PLUGINS,
    engineVersion: engine.ENGINE_VERSION, ...(configFile === undefined ? {} : { configFile }),
  });
  return { application, engine, result, env, name: configName(application) };
}

/**
 * The plan of a configuration without errors.
 * @throws {Failures} with every error and warning otherwise
 */
export function requirePlan({ result }: Planning): EnginePlan {
  if (result.plan && result.errors.length === 0) return result.plan;
  throw new Failures(result.errors, result.warnings);
}

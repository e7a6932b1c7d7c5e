import type { EnginePlan, RegisteredClass } from '@treadle/kernel';
import { planApplication, requirePlan, type PlanRequest } from '../application/plan.js';

/** The classes that a configuration may name, and the plan when the configuration is in order. */
export interface InstalledClasses {
  /** Sorted by id. */
  readonly classes: readonly RegisteredClass[];
  readonly plan?: EnginePlan;
}

/**
 * The classes of the engine and of the plugins that the configuration lists. When `config.yaml` of the working
 * directory has errors the built-in ones are returned, with a line on stderr: they are what one needs to mend it.
 * @throws {Failures} when the file that `--config` names has errors
 */
export async function installedClasses(request: PlanRequest): Promise<InstalledClasses> {
  const planning = await planApplication(request);
  if (planning.result.plan || request.config !== undefined) {
    const plan = requirePlan(planning);
    return { classes: plan.registry.classes(), plan };
  }
  process.stderr.write(`${planning.name} has errors ("treadle check" shows them); only built-in classes are known.\n`);
  const { Registry } = await import('@treadle/kernel');
  const sources = planning.engine.BUILTIN_PLUGINS.map((plugin) => ({ plugin, builtin: true }));
  return { classes: Registry.build(sources).registry.classes() };
}

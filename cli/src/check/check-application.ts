import { EXIT, type DeclaredTriggerKind, type Diagnostic } from '@treadle/api';
import type { EnginePlan, PlanResult } from '@treadle/kernel';
import { diagnose } from '@treadle/module-steps';
import { discoverStepFiles, isNodeStep } from '@treadle/worker';
import type { Environment } from '../application/dotenv.js';
import { Progress } from '../terminal/progress.js';
import { probeSteps } from './probe-steps.js';

/** What came of the second pass of `check`. */
export interface StepsCheck {
  readonly files: number;
  readonly steps: number;
  readonly triggers: number;
  /** Sorted by place. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Imports the Step files of an application in a process of their own and checks them against its modules. */
export async function checkSteps(plan: EnginePlan, env: Environment): Promise<StepsCheck> {
  // Files of other languages are checked by their own runtime.
  const files = (await discoverStepFiles(plan.root)).filter(({ file }) => isNodeStep(file));
  if (files.length === 0) return { files: 0, steps: 0, triggers: 0, diagnostics: [] };
  const progress = process.stderr.isTTY ? new Progress('importing Steps') : undefined;
  const onFile = (file: string, done: number): void => progress?.update(`${done + 1}/${files.length} ${file}`);
  const reports = await probeSteps({ root: plan.root, files, env, onFile });
  progress?.clear();
  const { steps, diagnostics } = diagnose({ reports, kinds: declaredKinds(plan), root: plan.root });
  const triggers = steps.reduce((sum, step) => sum + step.config.triggers.length, 0);
  return { files: files.length, steps: steps.length, triggers, diagnostics };
}

/** The trigger kinds that the modules of a plan declare. */
export function declaredKinds(plan: EnginePlan): readonly DeclaredTriggerKind[] {
  return plan.entries.flatMap((entry) =>
    (entry.spec.triggerKinds ?? []).map((kind) => ({ ...kind, owner: entry.instance.classId })));
}

/** The exit code of a check: 78 for the configuration, 65 for the application; `strict` counts warnings too. */
export function checkExitCode(config: PlanResult, steps: StepsCheck | undefined, strict: boolean): number {
  if (config.errors[0]) return config.errors[0].exitCode;
  if (strict && config.warnings.length > 0) return EXIT.config;
  const faulty = steps?.diagnostics.some(({ severity }) => strict || severity === 'error') ?? false;
  return faulty ? EXIT.application : 0;
}

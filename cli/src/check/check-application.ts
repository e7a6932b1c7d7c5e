import { EXIT, type Diagnostic } from '@treadle/api';
import type { EnginePlan, PlanResult } from '@treadle/kernel';
import { roleOfFile } from '@treadle/worker';
import type { Environment } from '../application/dotenv.js';
import { readCatalog } from './application-catalog.js';

/** What came of the second pass of `check`. */
export interface StepsCheck {
  /** False: the configuration runs no Steps of its own, so none were looked for. */
  readonly discover: boolean;
  /** Step files; declarations of streams are none. */
  readonly files: number;
  readonly steps: number;
  /** Declared streams. */
  readonly streams: number;
  readonly triggers: number;
  /** Sorted by place. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Imports the Step files of an application in a process of their own and counts what they declare. */
export async function checkSteps(plan: EnginePlan, env: Environment): Promise<StepsCheck> {
  const { discover, files, records, diagnostics } = await readCatalog(plan, env);
  const steps = records.filter(({ role = 'step' }) => role === 'step');
  return {
    discover, diagnostics, steps: steps.length,
    files: files.filter(({ file }) => roleOfFile(file) === 'step').length,
    streams: records.filter(({ role }) => role === 'stream').length,
    triggers: steps.reduce((sum, step) => sum + step.config.triggers.length, 0),
  };
}

/** The exit code of a check: 78 for the configuration, 65 for the application; `strict` counts warnings too. */
export function checkExitCode(config: PlanResult, steps: StepsCheck | undefined, strict: boolean): number {
  if (config.errors[0]) return config.errors[0].exitCode;
  if (strict && config.warnings.length > 0) return EXIT.config;
  const faulty = steps?.diagnostics.some(({ severity }) => strict || severity === 'error') ?? false;
  return faulty ? EXIT.application : 0;
}

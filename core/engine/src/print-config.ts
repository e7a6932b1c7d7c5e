import { learnSecrets } from '@treadle/api';
import { printEffective } from '@treadle/config';
import { planEngine } from '@treadle/kernel';
import type { CheckOptions } from './check-config.js';
import { printErrors } from './error-output.js';
import { planOptions } from './plan-options.js';

/** `--print-config`: the effective configuration on standard output; findings on standard error. Returns the exit code. */
export async function printConfig(options: CheckOptions): Promise<number> {
  const { env, stdout, stderr } = options;
  learnSecrets(env);
  const { plan, errors, warnings } = await planEngine(planOptions(options));
  printErrors([...errors, ...warnings], stderr);
  if (!plan) return errors[0]?.exitCode ?? 70;
  stdout.write(printEffective(plan.effective));
  return 0;
}

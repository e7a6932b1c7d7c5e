import { learnSecrets } from '@treadle/api';
import { printEffective } from '@treadle/config';
import { planEngine } from '@treadle/kernel';
import { BUILTIN_PLUGINS } from './builtin-plugins.js';
import type { CheckOptions } from './check-config.js';
import { printErrors } from './error-output.js';
import { ENGINE_VERSION } from './version.js';

/** `--print-config`: the effective configuration on standard output; findings on standard error. Returns the exit code. */
export async function printConfig(options: CheckOptions): Promise<number> {
  const { configFile, cwd, env, stdout, stderr } = options;
  learnSecrets(env);
  const { plan, errors, warnings } = await planEngine({
    cwd, env, builtins: BUILTIN_PLUGINS, engineVersion: ENGINE_VERSION, ...(configFile === undefined ? {} : { configFile }),
  });
  printErrors([...errors, ...warnings], stderr);
  if (!plan) return errors[0]?.exitCode ?? 70;
  stdout.write(printEffective(plan.effective));
  return 0;
}

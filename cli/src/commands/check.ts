import { Flags } from '@oclif/core';
import { configFlag, TreadleCommand } from '../base-command.js';
import type { CheckReport } from '../check/check-report.js';

/** `treadle check`: validates the configuration and the Steps without starting anything. */
export default class Check extends TreadleCommand<CheckReport> {
  static override summary = 'Check the configuration and the Steps without starting anything.';
  static override description = 'Prints every error and warning with file and line. Each Step file is imported in a '
    + 'process of its own, at most 10 s. Exit codes: 0 valid, 78 the configuration has errors, 65 the Steps have.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --config production.yaml --config-only --strict',
  ];
  static override flags = {
    ...configFlag,
    'config-only': Flags.boolean({ summary: 'Leave the Steps out.' }),
    strict: Flags.boolean({ summary: 'Make warnings errors.' }),
  };

  override async run(): Promise<CheckReport> {
    const { flags } = await this.parse(Check);
    const { requireApplication } = await import('../application/presence.js');
    const { planApplication } = await import('../application/plan.js');
    const { checkReport, formatCheck } = await import('../check/check-report.js');
    const { checkExitCode, checkSteps } = await import('../check/check-application.js');
    if (!flags['config-only']) requireApplication(flags.config);
    const { name, result, env } = await planApplication(flags);
    const steps = result.plan && !flags['config-only'] ? await checkSteps(result.plan, env) : undefined;
    const exitCode = checkExitCode(result, steps, flags.strict);
    const outcome = { name, result, steps, exitCode };
    this.log(formatCheck(outcome, process.stdout));
    process.exitCode = exitCode;
    return checkReport(outcome);
  }
}

import { configFlag, TreadleCommand } from '../base-command.js';
import type { ListedStep } from '../listing/listed-step.js';

/** `treadle steps`: every Step with what starts it and what it enqueues. */
export default class Steps extends TreadleCommand<{ readonly steps: readonly ListedStep[] }> {
  static override summary = 'List the Steps with what starts them.';
  static override description = 'Imports the Step files like "check" and starts nothing. Faulty Steps are left out and named on '
    + 'stderr, with exit code 65.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --json'];
  static override flags = configFlag;

  override async run(): Promise<{ readonly steps: readonly ListedStep[] }> {
    const { flags } = await this.parse(Steps);
    const { requireApplication } = await import('../application/presence.js');
    const { planApplication, requirePlan } = await import('../application/plan.js');
    const { listedStep, listSteps } = await import('../listing/listed-step.js');
    const { formatSteps, tellFaults } = await import('../listing/format-listing.js');
    requireApplication(flags.config);
    const planning = await planApplication(flags);
    const { steps, faults, labelOf } = await listSteps(requirePlan(planning), planning.env);
    const listed = steps.map((step) => listedStep(step, labelOf));
    this.log(formatSteps(listed));
    process.exitCode = tellFaults(faults);
    return { steps: listed };
  }
}

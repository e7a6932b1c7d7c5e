import { configFlag, TreadleCommand } from '../base-command.js';
import type { ListedSetup, ListedStep } from '../listing/listed-step.js';

interface SetupsAndSteps {
  readonly steps: readonly ListedStep[];
  /** Absent: there are none. */
  readonly setups?: readonly ListedSetup[];
}

/** `treadle steps`: every Step with what starts it and what it enqueues. */
export default class Steps extends TreadleCommand<SetupsAndSteps> {
  static override summary = 'List the Steps with what starts them.';
  static override description = 'Imports the Step files like "check" and starts nothing. Faulty Steps are left out and named on '
    + 'stderr, with exit code 65.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --json'];
  static override flags = configFlag;

  override async run(): Promise<SetupsAndSteps> {
    const { flags } = await this.parse(Steps);
    const { requireApplication } = await import('../application/presence.js');
    const { planApplication, requirePlan } = await import('../application/plan.js');
    const { listedStep, listSteps } = await import('../listing/listed-step.js');
    const { formatSetups, formatSteps, tellFaults } = await import('../listing/format-listing.js');
    requireApplication(flags.config);
    const planning = await planApplication(flags);
    const { steps, setups, faults, labelOf } = await listSteps(requirePlan(planning), planning.env);
    const listed = steps.map((step) => listedStep(step, labelOf));
    this.log(formatSteps(listed));
    if (setups.length > 0) this.log(`\n${formatSetups(setups)}`);
    process.exitCode = tellFaults(faults);
    return { steps: listed, ...(setups.length > 0 && { setups }) };
  }
}

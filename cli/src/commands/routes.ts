import { configFlag, TreadleCommand } from '../base-command.js';
import type { ListedRoute } from '../listing/listed-step.js';

/** `treadle routes`: every http trigger, by path. */
export default class Routes extends TreadleCommand<{ readonly routes: readonly ListedRoute[] }> {
  static override summary = 'List the HTTP routes of the Steps.';
  static override description = 'Imports the Step files like "check" and starts nothing. Faulty Steps are left out and named on '
    + 'stderr, with exit code 65.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --json'];
  static override flags = configFlag;

  override async run(): Promise<{ readonly routes: readonly ListedRoute[] }> {
    const { flags } = await this.parse(Routes);
    const { requireApplication } = await import('../application/presence.js');
    const { planApplication, requirePlan } = await import('../application/plan.js');
    const { listedRoutes, listSteps } = await import('../listing/listed-step.js');
    const { formatRoutes, tellFaults } = await import('../listing/format-listing.js');
    requireApplication(flags.config);
    const planning = await planApplication(flags);
    const { steps, faults } = await listSteps(requirePlan(planning), planning.env);
    const routes = listedRoutes(steps);
    this.log(formatRoutes(routes));
    process.exitCode = tellFaults(faults);
    return { routes };
  }
}

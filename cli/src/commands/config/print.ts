import { configFlag, TreadleCommand } from '../../base-command.js';

/** `treadle config print`: the effective configuration with the origin of each value. */
export default class ConfigPrint extends TreadleCommand<object> {
  static override summary = 'Print the effective configuration with the origin of each value.';
  static override description = 'Defaults are applied and modules that the file does not name are added, as the engine '
    + 'does it. Secrets are printed as "[redacted]".';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --config production.yaml'];
  static override flags = configFlag;

  override async run(): Promise<object> {
    const { flags } = await this.parse(ConfigPrint);
    const { planApplication, requirePlan } = await import('../../application/plan.js');
    const { effectiveJson, printEffective } = await import('@treadle/config');
    const planning = await planApplication(flags);
    const { effective } = requirePlan(planning);
    if (this.jsonEnabled()) return effectiveJson(effective);
    process.stdout.write(printEffective(effective));
    const { printErrors } = await import('../../failure.js');
    printErrors(planning.result.warnings);
    return {};
  }
}

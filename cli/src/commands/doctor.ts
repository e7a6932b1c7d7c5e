import { EXIT } from '@treadle/api';
import { configFlag, TreadleCommand } from '../base-command.js';
import type { DoctorFinding } from '../doctor/finding.js';

/** What was found. */
interface DoctorReport {
  /** False when something failed. */
  readonly fit: boolean;
  readonly findings: readonly DoctorFinding[];
}

/** `treadle doctor`: whether this machine can run the application. */
export default class Doctor extends TreadleCommand<DoctorReport> {
  static override summary = 'Find out whether this machine can run the application.';
  static override description = 'Looks at Node.js, Python, versions, configuration, ports, the data folder and its disk. Starts nothing and leaves nothing '
    + 'behind. Exit codes: 0 fit, also with warnings; 78 the configuration has errors; 69 something else failed.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --config production.yaml --json'];
  static override flags = configFlag;

  override async run(): Promise<DoctorReport> {
    const { flags } = await this.parse(Doctor);
    const { planApplication } = await import('../application/plan.js');
    const { examine } = await import('../doctor/examine.js');
    const { formatFindings } = await import('../doctor/format-findings.js');
    const findings = await examine(await planApplication(flags));
    const bad = findings.filter(({ status }) => status === 'failed');
    this.log(formatFindings(findings, process.stdout));
    if (bad.length > 0) process.exitCode = bad.some(({ subject }) => subject === 'configuration') ? EXIT.config : EXIT.unavailable;
    return { fit: bad.length === 0, findings };
  }
}

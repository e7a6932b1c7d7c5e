import type { Diagnostic } from '@treadle/api';
import type { BuildReport } from '../build/build-report.js';
import { configFlag, noInstallFlag, TreadleCommand } from '../base-command.js';

/** An empty build would start, serve nothing and say nothing. */
const NOTHING_TO_BUILD: Diagnostic = {
  severity: 'error', code: 'BUILD_NO_STEPS', file: 'steps', message: 'there are no Step files in steps/ and src/',
  remedy: 'run it in the folder of the application, or begin with "treadle generate step"',
};

/** `treadle build`: checks the application and writes what production runs. */
export default class Build extends TreadleCommand<BuildReport> {
  static override summary = 'Check the application and write what production runs into dist.';
  static override description = 'Writes dist/index-production.js (and dist/index_production.py for Python Steps), the compiled '
    + 'handlers and treadle.lock.json. The same sources give the same build. Packages stay outside and are found in node_modules '
    + 'at run time. With any error nothing is written. Exit codes: 65 the Steps have errors, 74 dist cannot be written, 78 the '
    + 'configuration has errors.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --config production.yaml'];
  static override flags = { ...configFlag, ...noInstallFlag };

  override async run(): Promise<BuildReport> {
    const { flags } = await this.parse(Build);
    const { planApplication, requirePlan } = await import('../application/plan.js');
    const { requireApplication } = await import('../application/presence.js');
    const { readCatalog } = await import('../check/application-catalog.js');
    requireApplication(flags.config);
    const planning = await planApplication({ ...flags, mode: 'production', install: !flags['no-install'] });
    const plan = requirePlan(planning);
    // Secrets are where the build runs, not where it is made: guards do not ask for them.
    const { reports, diagnostics } = await readCatalog(plan, { ...planning.env, TREADLE_BUILD: '1' }, true);
    if (diagnostics.some(({ severity }) => severity === 'error')) return this.refuse(diagnostics);
    if (reports.length === 0) return this.refuse([...diagnostics, NOTHING_TO_BUILD]);
    const { buildApplication } = await import('../build/build-application.js');
    const { buildReport, formatBuild } = await import('../build/build-report.js');
    const { lock, warnings } = await buildApplication(plan.root, reports);
    const all = [...diagnostics, ...warnings];
    this.log(formatBuild(lock, all, process.stdout));
    return buildReport(lock, all);
  }

  private async refuse(diagnostics: BuildReport['diagnostics']): Promise<BuildReport> {
    const { EXIT } = await import('@treadle/api');
    const { condense, formatDiagnostic } = await import('@treadle/module-steps');
    const { paintError } = await import('../terminal/paint.js');
    const findings = condense(diagnostics).map((diagnostic) => paintError(formatDiagnostic(diagnostic), process.stderr));
    if (!this.jsonEnabled()) process.stderr.write(`${[...findings, 'nothing was built'].join('\n')}\n`);
    process.exitCode = EXIT.application;
    return { exitCode: EXIT.application, diagnostics };
  }
}

import { Flags } from '@oclif/core';
import { EXIT, type Logger } from '@treadle/api';
import type { CopyProgress, CopyReport } from '@treadle/engine';
import { TreadleCommand } from '../../base-command.js';

/** Slots that an application's data lies in. */
const SLOTS = ['state', 'queue', 'stream', 'cron'];

/** `treadle store copy`: moves an application to another store. */
export default class StoreCopy extends TreadleCommand<CopyReport> {
  static override summary = 'Copy what an application has stored to another store.';
  static override description = 'The configurations say where: state, messages, streams and cron of the one go to the adapters of the other, for example from SQLite to '
    + 'PostgreSQL. No engine may run on either side. The target has to be empty. A copy that was broken off goes on where it was when the command is given again, '
    + 'unless an engine has used the source since. An engine starts on the target only when everything is there. The source stays as it is. Exit codes: 0 both sides agree; 74 they do not.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> --from config.yaml --to config-postgres.yaml --dry-run',
    '<%= config.bin %> <%= command.id %> --from config.yaml --to config-postgres.yaml',
  ];
  static override flags = {
    from: Flags.string({ required: true, helpValue: '<file>', summary: 'Configuration whose stores are copied.' }),
    to: Flags.string({ required: true, helpValue: '<file>', summary: 'Configuration whose stores they are copied to.' }),
    slot: Flags.string({ multiple: true, options: SLOTS, summary: 'Copy only this; may be given several times. Default: all four.' }),
    'dry-run': Flags.boolean({ summary: 'Look at both ends and count; copy nothing. A store that is not there is made, empty.' }),
  };

  override async run(): Promise<CopyReport> {
    const { flags: { from, to, slot: slots, 'dry-run': dryRun } } = await this.parse(StoreCopy);
    const { planApplication, requirePlan } = await import('../../application/plan.js');
    const { formatCopy } = await import('../../store/format-copy.js');
    const source = await planApplication({ config: from });
    const target = await planApplication({ config: to });
    const progress = await this.progress();
    const report = await source.engine.copyStores({
      from: requirePlan(source), to: requirePlan(target), slots, dryRun, log: WARNINGS, tell: progress?.tell,
    }).finally(() => progress?.end());
    this.log(formatCopy(report, dryRun));
    if (!report.agrees) process.exitCode = EXIT.io;
    return report;
  }

  private async progress(): Promise<{ tell(progress: CopyProgress): void; end(): void } | undefined> {
    if (!process.stderr.isTTY || this.jsonEnabled()) return undefined;
    const { Progress } = await import('../../terminal/progress.js');
    const shown = new Progress('copying');
    return { tell: ({ slot, kind, rows }) => shown.update(`${slot}.${kind} ${rows}`), end: () => shown.clear() };
  }
}

/** What stores have to say that somebody should know. */
const WARNINGS: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (message, fields) => void process.stderr.write(`${message}${fields ? ` ${JSON.stringify(fields)}` : ''}\n`),
  error: (message, fields) => void process.stderr.write(`${message}${fields ? ` ${JSON.stringify(fields)}` : ''}\n`),
  child: () => WARNINGS,
};

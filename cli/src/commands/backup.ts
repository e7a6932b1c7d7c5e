import { resolve } from 'node:path';
import { Args } from '@oclif/core';
import { AdminCommand, adminFlags } from '../admin/admin-command.js';

/** A large store takes its time. */
const TIMEOUT_MS = 60 * 60 * 1000;

/** What was copied. */
interface BackupReport {
  readonly files: readonly { readonly store: string; readonly file: string; readonly bytes: number }[];
  readonly notCopied: readonly string[];
}

/** `treadle backup`: copies the embedded store of a running engine. */
export default class Backup extends AdminCommand<BackupReport> {
  static override summary = 'Copy the embedded store of the running engine to a file.';
  static override description = 'The engine goes on working and writes the copy itself, on its own machine. Several stores become <name>-1.<ext>, <name>-2.<ext>, … '
    + 'Restoring is putting the file back while no engine runs.';
  static override examples = ['<%= config.bin %> <%= command.id %> backups/monday.db'];
  static override args = { file: Args.string({ required: true, description: 'New file; one that exists is refused' }) };
  static override flags = adminFlags;

  override async run(): Promise<BackupReport> {
    const { args, flags } = await this.parse(Backup);
    const client = await this.client(flags);
    const { Progress } = await import('../terminal/progress.js');
    const progress = process.stderr.isTTY && !this.jsonEnabled() ? new Progress('copying') : undefined;
    const report = await client.post<BackupReport>(['backup'], { file: resolve(args.file) }, TIMEOUT_MS).finally(() => progress?.clear());
    for (const { store, file, bytes } of report.files) this.say(`${file}  ${bytes} bytes, copied from ${store}`);
    for (const adapter of report.notCopied) process.stderr.write(`not in the backup: the data of ${adapter}\n`);
    return report;
  }
}

import { resolve } from 'node:path';
import { Args } from '@oclif/core';
import type { SalvageReport } from '@treadle/engine';
import { TreadleCommand } from '../../base-command.js';
import { storeFlags } from '../../store/store-flags.js';

/** `treadle store salvage`: saves what can be read of a damaged store. */
export default class StoreSalvage extends TreadleCommand<SalvageReport> {
  static override summary = 'Save what can be read of a damaged store in a new one.';
  static override description = 'Reads database and log, also a log whose database is gone, and changes nothing of them. The new store is put in the place of the old '
    + 'one as a backup is, while no engine runs. It says what could not be read. Exit code 74 when nothing can be read.';
  static override examples = ['<%= config.bin %> <%= command.id %> saved.db', '<%= config.bin %> <%= command.id %> saved.db --file data/treadle.db'];
  static override args = { target: Args.string({ required: true, description: 'New file; one that exists is refused' }) };
  static override flags = storeFlags;

  override async run(): Promise<SalvageReport> {
    const { args, flags } = await this.parse(StoreSalvage);
    const { locateApplication } = await import('../../application/application.js');
    const { loadEngine } = await import('../../application/engine-package.js');
    const { findStore } = await import('../../store/find-stores.js');
    const { formatSalvage } = await import('../../store/format-store.js');
    const source = await findStore(flags);
    const { salvageStore } = await loadEngine(locateApplication(process.cwd(), flags.config));
    const report = salvageStore(source, resolve(args.target));
    this.log(formatSalvage(report));
    return report;
  }
}

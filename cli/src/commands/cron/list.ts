import { AdminCommand, adminFlags, watchFlag } from '../../admin/admin-command.js';
import type { CronListing } from '../../cron/format-cron.js';

/** `treadle cron list`: every cron trigger with its next and its last run. */
export default class CronList extends AdminCommand<CronListing | undefined> {
  static override summary = 'Show every cron trigger with its next and its last run.';
  static override examples = ['<%= config.bin %> <%= command.id %>'];
  static override flags = { ...adminFlags, ...watchFlag };

  override async run(): Promise<CronListing | undefined> {
    const { flags } = await this.parse(CronList);
    const client = await this.client(flags);
    const { formatTriggers } = await import('../../cron/format-cron.js');
    return this.showTable(flags.watch, () => client.get<CronListing>(['cron']), formatTriggers);
  }
}

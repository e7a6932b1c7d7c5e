import { Args, Flags } from '@oclif/core';
import { AdminCommand, adminFlags } from '../../admin/admin-command.js';
import type { CronRun } from '../../cron/format-cron.js';
import { triggerFlag } from '../../cron/trigger-flag.js';

interface CronRuns {
  readonly items: readonly CronRun[];
}

/** `treadle cron runs`: the last runs of a trigger, or of all. */
export default class CronRunList extends AdminCommand<CronRuns> {
  static override summary = 'Show the last runs of a cron trigger, or of all of them, the newest first.';
  static override examples = ['<%= config.bin %> <%= command.id %> NightlyReport --limit 5'];
  static override args = { step: Args.string({ description: 'Name of the Step; without it all Steps' }) };
  static override flags = {
    ...adminFlags, ...triggerFlag,
    limit: Flags.integer({ helpValue: '<n>', default: 20, min: 1, max: 100, summary: 'Most runs to show.' }),
  };

  override async run(): Promise<CronRuns> {
    const { args: { step }, flags: { limit, trigger, ...flags } } = await this.parse(CronRunList);
    const client = await this.client(flags);
    const { formatRuns } = await import('../../cron/format-cron.js');
    const listing = await client.get<CronRuns>(['cron', 'runs'], { step, trigger, limit });
    this.say(formatRuns(listing.items, step === undefined));
    return listing;
  }
}

import { Flags } from '@oclif/core';
import { AdminCommand, adminFlags, stepArg } from '../../admin/admin-command.js';
import { triggerFlag } from '../../cron/trigger-flag.js';

interface Paused {
  readonly items: readonly { readonly pausedUntil?: string }[];
}

/** `treadle cron pause`. */
export default class CronPause extends AdminCommand {
  static override summary = 'Pause the cron triggers of a Step until they are resumed, or until a time.';
  static override description = 'Without --trigger: all cron triggers of the Step.';
  static override examples = ['<%= config.bin %> <%= command.id %> NightlyReport', '<%= config.bin %> <%= command.id %> NightlyReport --until 2027-01-08T09:00:00Z'];
  static override args = stepArg;
  static override flags = {
    ...adminFlags, ...triggerFlag,
    until: Flags.string({ helpValue: '<time>', summary: 'When the pause ends by itself, as ISO 8601, without an offset in the time of the engine; a tick at that moment runs.' }),
  };

  override async run(): Promise<unknown> {
    const { args: { step }, flags } = await this.parse(CronPause);
    const client = await this.client(flags);
    const result = await client.post<Paused>(['cron', 'pause'], { step, trigger: flags.trigger, until: flags.until });
    const until = result.items[0]?.pausedUntil;
    this.say(`${step} is paused${until === undefined ? '' : ` until ${until}`}`);
    return result;
  }
}

import { AdminCommand, adminFlags, stepArg } from '../../admin/admin-command.js';
import { triggerFlag } from '../../cron/trigger-flag.js';

/** `treadle cron pause`. */
export default class CronPause extends AdminCommand {
  static override summary = 'Pause the cron triggers of a Step until they are resumed.';
  static override description = 'Without --trigger: all cron triggers of the Step.';
  static override examples = ['<%= config.bin %> <%= command.id %> NightlyReport'];
  static override args = stepArg;
  static override flags = { ...adminFlags, ...triggerFlag };

  override async run(): Promise<unknown> {
    const { args: { step }, flags } = await this.parse(CronPause);
    const client = await this.client(flags);
    const result = await client.post<object>(['cron', 'pause'], { step, trigger: flags.trigger });
    this.say(`${step} is paused`);
    return result;
  }
}

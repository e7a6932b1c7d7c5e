import { AdminCommand, adminFlags, stepArg } from '../../admin/admin-command.js';
import { triggerFlag } from '../../cron/trigger-flag.js';

/** `treadle cron resume`. */
export default class CronResume extends AdminCommand {
  static override summary = 'Resume the cron triggers of a Step.';
  static override description = 'Without --trigger: all cron triggers of the Step.';
  static override examples = ['<%= config.bin %> <%= command.id %> NightlyReport'];
  static override args = stepArg;
  static override flags = { ...adminFlags, ...triggerFlag };

  override async run(): Promise<unknown> {
    const { args: { step }, flags } = await this.parse(CronResume);
    const client = await this.client(flags);
    const result = await client.post<object>(['cron', 'resume'], { step, trigger: flags.trigger });
    this.say(`${step} is running`);
    return result;
  }
}

import { AdminCommand, adminFlags, stepArg } from '../../admin/admin-command.js';
import { time } from '../../admin/show.js';
import type { CronTrigger } from '../../cron/format-cron.js';
import { triggerFlag } from '../../cron/trigger-flag.js';

/** `treadle cron skip`: lets the next tick be skipped. */
export default class CronSkip extends AdminCommand<CronTrigger> {
  static override summary = 'Let the next tick of a cron trigger be skipped.';
  static override description = 'Its record says that it was skipped, and by whom; it cannot be taken back. "cron run" runs the trigger nevertheless.';
  static override examples = ['<%= config.bin %> <%= command.id %> NightlyReport'];
  static override args = stepArg;
  static override flags = { ...adminFlags, ...triggerFlag };

  override async run(): Promise<CronTrigger> {
    const { args: { step }, flags } = await this.parse(CronSkip);
    const client = await this.client(flags);
    const trigger = await client.post<CronTrigger>(['cron', 'skip'], { step, trigger: flags.trigger });
    this.say(`${step} skips ${time(trigger.skipped?.at(-1)?.at ?? null)} and runs next at ${time(trigger.nextAt)}`);
    return trigger;
  }
}

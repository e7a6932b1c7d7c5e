import { AdminCommand, adminFlags, stepArg } from '../../admin/admin-command.js';
import { triggerFlag } from '../../cron/trigger-flag.js';

/** A run that was begun. */
interface Begun {
  readonly runId: string;
  readonly traceId: string;
}

/** `treadle cron run`: begins a run now. */
export default class CronRunNow extends AdminCommand<Begun> {
  static override summary = 'Run a cron trigger now, independently of its schedule.';
  static override examples = ['<%= config.bin %> <%= command.id %> NightlyReport'];
  static override args = stepArg;
  static override flags = { ...adminFlags, ...triggerFlag };

  override async run(): Promise<Begun> {
    const { args, flags } = await this.parse(CronRunNow);
    const client = await this.client(flags);
    const begun = await client.post<Begun>(['cron', 'run'], { step: args.step, trigger: flags.trigger });
    this.say(`run ${begun.runId} of ${args.step} has begun, trace ${begun.traceId}`);
    return begun;
  }
}

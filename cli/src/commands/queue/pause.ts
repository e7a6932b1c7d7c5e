import { AdminCommand, adminFlags, stepArg, topicFlag } from '../../admin/admin-command.js';
import { formatPause, setPaused, type PauseReport } from '../../queue/set-paused.js';

/** `treadle queue pause`: stops deliveries to a Step. */
export default class QueuePause extends AdminCommand<PauseReport> {
  static override summary = 'Stop delivering to a Step; its messages are kept.';
  static override description = 'Without --topic: all subscriptions of the Step.';
  static override examples = ['<%= config.bin %> <%= command.id %> Notify'];
  static override args = stepArg;
  static override flags = { ...adminFlags, ...topicFlag };

  override async run(): Promise<PauseReport> {
    const { args, flags } = await this.parse(QueuePause);
    const report = await setPaused(await this.client(flags), 'pause', { step: args.step, topic: flags.topic });
    this.say(formatPause(report));
    return report;
  }
}

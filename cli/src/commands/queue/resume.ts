import { AdminCommand, adminFlags, stepArg, topicFlag } from '../../admin/admin-command.js';
import { formatPause, setPaused, type PauseReport } from '../../queue/set-paused.js';

/** `treadle queue resume`: delivers to a paused Step again. */
export default class QueueResume extends AdminCommand<PauseReport> {
  static override summary = 'Deliver to a paused Step again.';
  static override description = 'Without --topic: all subscriptions of the Step.';
  static override examples = ['<%= config.bin %> <%= command.id %> Notify'];
  static override args = stepArg;
  static override flags = { ...adminFlags, ...topicFlag };

  override async run(): Promise<PauseReport> {
    const { args, flags } = await this.parse(QueueResume);
    const report = await setPaused(await this.client(flags), 'resume', { step: args.step, topic: flags.topic });
    this.say(formatPause(report));
    return report;
  }
}

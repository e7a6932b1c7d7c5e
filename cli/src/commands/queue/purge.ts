import { AdminCommand, adminFlags, stepArg, topicFlag } from '../../admin/admin-command.js';

/** What `queue purge` removed. */
interface Purged {
  readonly step: string;
  readonly topic: string;
  readonly purged: number;
}

/** `treadle queue purge`: removes what waits for a Step. */
export default class QueuePurge extends AdminCommand<Purged> {
  static override summary = 'Remove everything that waits for a Step; what is running goes on.';
  static override examples = ['<%= config.bin %> <%= command.id %> Notify --topic orders.placed'];
  static override args = stepArg;
  static override flags = { ...adminFlags, ...topicFlag };

  override async run(): Promise<Purged> {
    const { args, flags } = await this.parse(QueuePurge);
    const client = await this.client(flags);
    const { chosenSubscription } = await import('../../queue/subscription.js');
    const { topicName } = await import('../../admin/show.js');
    const { count } = await import('../../terminal/table.js');
    const { step, topic } = await chosenSubscription(client, args.step, flags.topic);
    const { purged } = await client.post<{ readonly purged: number }>(['queues', 'purge'], { step, topic });
    this.say(`removed ${count(purged, 'message')} of ${step} in ${topicName(topic)}`);
    return { step, topic, purged };
  }
}

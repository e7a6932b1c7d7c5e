import { Args, Flags } from '@oclif/core';
import { treadleError } from '@treadle/api';
import type { AdminClient } from '../../admin/admin-client.js';
import { AdminCommand, adminFlags } from '../../admin/admin-command.js';

/** What `queue purge` removed. */
interface Purged {
  /** Absent: nobody consumes the topic. */
  readonly step?: string;
  readonly topic: string;
  readonly purged: number;
}

/** `treadle queue purge`: removes what waits for a Step, or in a topic that nobody consumes. */
export default class QueuePurge extends AdminCommand<Purged> {
  static override summary = 'Remove everything that waits for a Step; what is running goes on.';
  static override description = 'With --topic alone: what waits in a topic that nobody consumes.';
  static override examples = ['<%= config.bin %> <%= command.id %> Notify --topic orders.placed', '<%= config.bin %> <%= command.id %> --topic orders.lost'];
  static override args = { step: Args.string({ description: 'Name of the Step' }) };
  static override flags = {
    ...adminFlags,
    topic: Flags.string({ helpValue: '<topic>', summary: 'Topic of the subscription; needed when the Step has several, or without a Step.' }),
  };

  override async run(): Promise<Purged> {
    const { args, flags } = await this.parse(QueuePurge);
    if (args.step !== undefined) return this.purge(await this.client(flags), args.step, flags.topic);
    if (flags.topic !== undefined) return this.purgeUnrouted(await this.client(flags), flags.topic);
    throw treadleError('USAGE', { message: 'say what to remove', hint: 'name a Step, or --topic alone for what waits in a topic that nobody consumes' });
  }

  private async purge(client: AdminClient, name: string, written: string | undefined): Promise<Purged> {
    const { chosenSubscription } = await import('../../queue/subscription.js');
    const { topicName } = await import('../../admin/show.js');
    const { count } = await import('../../terminal/table.js');
    const { step, topic } = await chosenSubscription(client, name, written);
    const { purged } = await client.post<Purged>(['queues', 'purge'], { step, topic });
    this.say(`removed ${count(purged, 'message')} of ${step} in ${topicName(topic)}`);
    return { step, topic, purged };
  }

  private async purgeUnrouted(client: AdminClient, topic: string): Promise<Purged> {
    const { count } = await import('../../terminal/table.js');
    const { purged } = await client.post<Purged>(['queues', 'purge'], { topic });
    this.say(`removed ${count(purged, 'message')} without a subscriber in topic ${topic}`);
    return { topic, purged };
  }
}

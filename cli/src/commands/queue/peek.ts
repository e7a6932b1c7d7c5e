import { Flags } from '@oclif/core';
import { AdminCommand, adminFlags, stepArg, topicFlag } from '../../admin/admin-command.js';
import type { PeekedMessage } from '../../queue/format-queue.js';

/** `treadle queue peek`: messages at the head, which stay where they are. */
export default class QueuePeek extends AdminCommand<{ readonly items: readonly PeekedMessage[] }> {
  static override summary = 'Show the next messages of a Step without taking them.';
  static override examples = ['<%= config.bin %> <%= command.id %> Notify --limit 5'];
  static override args = stepArg;
  static override flags = {
    ...adminFlags,
    ...topicFlag,
    limit: Flags.integer({ helpValue: '<n>', default: 20, min: 1, max: 1000, summary: 'Most messages to show.' }),
  };

  override async run(): Promise<{ readonly items: readonly PeekedMessage[] }> {
    const { args, flags } = await this.parse(QueuePeek);
    const client = await this.client(flags);
    const { chosenSubscription } = await import('../../queue/subscription.js');
    const { formatMessages } = await import('../../queue/format-queue.js');
    const { step, topic } = await chosenSubscription(client, args.step, flags.topic);
    const page = await client.get<{ readonly items: readonly PeekedMessage[] }>(['queues', 'messages'], { step, topic, limit: flags.limit });
    this.say(formatMessages(page.items, { step, topic }));
    return page;
  }
}

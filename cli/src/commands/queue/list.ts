import { AdminCommand, adminFlags, watchFlag } from '../../admin/admin-command.js';
import type { QueueOverview } from '../../queue/subscription.js';

/** `treadle queue list`: every subscription with what waits in it, and dead letters of those that are gone. */
export default class QueueList extends AdminCommand<QueueOverview | undefined> {
  static override summary = 'Show every subscription and what waits in it.';
  static override description = 'Subscriptions that are "gone" have dead letters only, which "treadle queue dlq" shows and discards and "treadle queue redrive --to-step" delivers.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --watch'];
  static override flags = { ...adminFlags, ...watchFlag };

  override async run(): Promise<QueueOverview | undefined> {
    const { flags } = await this.parse(QueueList);
    const client = await this.client(flags);
    const { formatOverview } = await import('../../queue/format-queue.js');
    return this.showTable(flags.watch, () => client.get<QueueOverview>(['queues']), formatOverview);
  }
}

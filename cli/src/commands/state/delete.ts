import { Args } from '@oclif/core';
import { AdminCommand, adminFlags } from '../../admin/admin-command.js';

/** `treadle state delete`: removes one key. */
export default class StateDelete extends AdminCommand<{ readonly deleted: boolean }> {
  static override summary = 'Remove a key.';
  static override description = 'Steps with state triggers are started. A key that is not there is an error, exit code 64.';
  static override examples = ['<%= config.bin %> <%= command.id %> tickets 42'];
  static override args = { group: Args.string({ required: true, description: 'Group' }), key: Args.string({ required: true, description: 'Key' }) };
  static override flags = adminFlags;

  override async run(): Promise<{ readonly deleted: boolean }> {
    const { args, flags } = await this.parse(StateDelete);
    const client = await this.client(flags);
    const result = await client.delete<{ readonly deleted: boolean }>(['state', 'groups', args.group, 'keys', args.key]);
    this.say(`removed ${args.group} ${args.key}`);
    return result;
  }
}

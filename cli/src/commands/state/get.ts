import { Args } from '@oclif/core';
import { AdminCommand, adminFlags } from '../../admin/admin-command.js';
import type { StateItem } from '../../state/format-state.js';

/** `treadle state get`: one value as JSON. */
export default class StateGet extends AdminCommand<StateItem> {
  static override summary = 'Print a value as JSON.';
  static override description = 'With --json its key and revision are printed too. A key that is not there is an error, exit code 1.';
  static override examples = ['<%= config.bin %> <%= command.id %> tickets 42'];
  static override args = { group: Args.string({ required: true, description: 'Group' }), key: Args.string({ required: true, description: 'Key' }) };
  static override flags = adminFlags;

  override async run(): Promise<StateItem> {
    const { args, flags } = await this.parse(StateGet);
    const client = await this.client(flags);
    const { pretty } = await import('../../admin/show.js');
    const item = await client.get<StateItem>(['state', 'groups', args.group, 'keys', args.key]);
    this.say(pretty(item.value));
    return item;
  }
}

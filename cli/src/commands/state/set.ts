import { Args, Flags } from '@oclif/core';
import { AdminCommand, adminFlags } from '../../admin/admin-command.js';
import type { StateItem } from '../../state/format-state.js';

/** `treadle state set`: stores one value. */
export default class StateSet extends AdminCommand<StateItem> {
  static override summary = 'Store a value.';
  static override description = 'The value is JSON; without it, or with "-", it is read from stdin. Ends when the value is durable, and starts Steps with state triggers.';
  static override examples = ['<%= config.bin %> <%= command.id %> tickets 42 \'{"open": true}\'', '<%= config.bin %> <%= command.id %> tickets 42 null --revision 3'];
  static override args = {
    group: Args.string({ required: true, description: 'Group' }), key: Args.string({ required: true, description: 'Key' }),
    value: Args.string({ description: 'JSON, or - for stdin' }),
  };
  static override flags = {
    ...adminFlags,
    'ttl-ms': Flags.integer({ helpValue: '<ms>', min: 1, exclusive: ['revision'], summary: 'Forget it after this many milliseconds.' }),
    revision: Flags.integer({ helpValue: '<n>', min: 0, summary: 'Only when the key still has this revision; 0: only when it is not there.' }),
  };

  override async run(): Promise<StateItem> {
    const { args, flags } = await this.parse(StateSet);
    const { jsonArgument } = await import('../../admin/json-argument.js');
    const value = await jsonArgument(args.value, 'the value');
    const client = await this.client(flags);
    const item = await client.put<StateItem>(['state', 'groups', args.group, 'keys', args.key], { value, ttlMs: flags['ttl-ms'], revision: flags.revision });
    this.say(`stored ${args.group} ${args.key}, revision ${item.revision}`);
    return item;
  }
}

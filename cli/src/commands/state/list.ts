import { Args, Flags } from '@oclif/core';
import { AdminCommand, adminFlags } from '../../admin/admin-command.js';
import type { GroupPage, StatePage } from '../../state/format-state.js';

/** `treadle state list`: groups, or the keys of one. */
export default class StateList extends AdminCommand<GroupPage | StatePage> {
  static override summary = 'List the groups, or the keys of a group.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> tickets --prefix 2026-'];
  static override args = { group: Args.string({ description: 'Group whose keys are listed' }) };
  static override flags = {
    ...adminFlags,
    prefix: Flags.string({ helpValue: '<text>', summary: 'Only names that begin like this.' }),
    limit: Flags.integer({ helpValue: '<n>', default: 100, min: 1, max: 1000, summary: 'Most to list.' }),
    cursor: Flags.string({ helpValue: '<cursor>', summary: 'Continue where an earlier page ended: its cursor.' }),
  };

  override async run(): Promise<GroupPage | StatePage> {
    const { args: { group }, flags: { prefix, limit, cursor, ...found } } = await this.parse(StateList);
    const client = await this.client(found);
    const { formatGroups, formatKeys } = await import('../../state/format-state.js');
    const query = { prefix, limit, cursor };
    if (group === undefined) {
      const groups = await client.get<GroupPage>(['state', 'groups'], query);
      this.say(formatGroups(groups));
      return groups;
    }
    const keys = await client.get<StatePage>(['state', 'groups', group, 'keys'], query);
    this.say(formatKeys(keys, group));
    return keys;
  }
}

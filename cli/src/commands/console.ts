import { AdminCommand, adminFlags } from '../admin/admin-command.js';
import type { SessionLink } from '../admin/session-link.js';
import { openFlag } from '../base-command.js';

/** `treadle console`: opens the page of a running engine. */
export default class Console extends AdminCommand<SessionLink> {
  static override summary = 'Open the console of the running engine in a browser.';
  static override description = 'Prints a link that works once, within 10 minutes, and opens it where this is a terminal of the machine itself: not over SSH, and not in CI.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --no-open'];
  static override flags = { ...adminFlags, ...openFlag };

  override async run(): Promise<SessionLink> {
    const { flags } = await this.parse(Console);
    const client = await this.client(flags);
    const { openLink, sessionLink } = await import('../admin/session-link.js');
    const link = await sessionLink(client);
    this.say(link.url);
    if (flags.open && !this.jsonEnabled()) openLink(link);
    return link;
  }
}

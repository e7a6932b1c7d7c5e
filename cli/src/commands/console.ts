import { Flags } from '@oclif/core';
import { AdminCommand, adminFlags } from '../admin/admin-command.js';

/** A link that works once. */
interface SessionLink {
  readonly url: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** `treadle console`: opens the page of a running engine. */
export default class Console extends AdminCommand<SessionLink> {
  static override summary = 'Open the console of the running engine in a browser.';
  static override description = 'Prints a link that works once, within 10 minutes, and opens it where this is a terminal of the machine itself: not over SSH, and not in CI.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --no-open'];
  static override flags = { ...adminFlags, open: Flags.boolean({ allowNo: true, default: true, summary: 'Open the link; --no-open only prints it.' }) };

  override async run(): Promise<SessionLink> {
    const { flags } = await this.parse(Console);
    const client = await this.client(flags);
    const link = await client.post<SessionLink>(['session', 'link'], {});
    this.say(link.url);
    const { canOpen, openInBrowser } = await import('../terminal/open-browser.js');
    if (flags.open && !this.jsonEnabled() && canOpen(process.env, process.stdout)) openInBrowser(link.url);
    return link;
  }
}

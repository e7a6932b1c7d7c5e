import { Args, Flags } from '@oclif/core';
import { treadleError } from '@treadle/api';
import { configFlag, TreadleCommand } from '../base-command.js';
import type { AdminClient } from './admin-client.js';
import type { AdminChoice } from './find-admin.js';

/** How every command that speaks with a running engine finds it. */
export const adminFlags = {
  ...configFlag,
  url: Flags.string({
    helpValue: '<url>',
    summary: 'Admin API of the engine; default: TREADLE_ADMIN_URL, else the engine on the data directory of the configuration.',
  }),
};

/** The Step that a command is about. */
export const stepArg = { step: Args.string({ required: true, description: 'Name of the Step' }) };

/** `--topic`, as commands about one subscription take it. */
export const topicFlag = {
  topic: Flags.string({ helpValue: '<topic>', summary: 'Topic of the subscription; needed when the Step has several.' }),
};

/** `--watch`, as tables take it. */
export const watchFlag = { watch: Flags.boolean({ char: 'w', summary: 'Show it again every 2 seconds, until Ctrl-C.' }) };

/** What commands that speak with a running engine share. */
export abstract class AdminCommand<Result = unknown> extends TreadleCommand<Result> {
  /** @throws as `findAdmin` */
  protected async client(choice: AdminChoice): Promise<AdminClient> {
    const { findAdmin } = await import('./find-admin.js');
    const { AdminClient: Client } = await import('./admin-client.js');
    return new Client(await findAdmin(choice));
  }

  /**
   * Prints what an engine has, with `watch` again and again; gives it unless it was watched.
   * @throws {USAGE} when `--json` is to print what never ends
   */
  protected async showTable<Shown extends Result>(watch: boolean, get: () => Promise<Shown>, format: (shown: Shown) => string): Promise<Shown | undefined> {
    if (!watch) {
      const shown = await get();
      this.say(format(shown));
      return shown;
    }
    if (this.jsonEnabled()) throw treadleError('USAGE', { message: '--watch never ends, so that --json has nothing to print', hint: 'leave one of them out' });
    const { showWatched } = await import('./watched.js');
    await showWatched(async () => format(await get()), process.stdout);
    return undefined;
  }

  /** Prints for people, unless `--json` prints the result. */
  protected say(text: string): void {
    if (!this.jsonEnabled()) this.log(text);
  }
}

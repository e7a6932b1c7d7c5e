import { Args, Flags } from '@oclif/core';
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

/** What commands that speak with a running engine share. */
export abstract class AdminCommand<Result = unknown> extends TreadleCommand<Result> {
  /** @throws as `findAdmin` */
  protected async client(choice: AdminChoice): Promise<AdminClient> {
    const { findAdmin } = await import('./find-admin.js');
    const { AdminClient: Client } = await import('./admin-client.js');
    return new Client(await findAdmin(choice));
  }

  /** Prints for people, unless `--json` prints the result. */
  protected say(text: string): void {
    if (!this.jsonEnabled()) this.log(text);
  }
}

import { Command, Flags } from '@oclif/core';
import { printJson, reportFailure } from './failure.js';

/** `--config`, as every command that reads the configuration takes it. */
export const configFlag = {
  config: Flags.string({
    char: 'c',
    helpValue: '<file>',
    summary: 'Configuration; default: config.yaml in the working directory, else the built-in configuration.',
  }),
};

/** `--port`, as the commands take it that serve HTTP. */
export const portFlag = {
  port: Flags.integer({ char: 'p', min: 0, max: 65_535, helpValue: '<port>', summary: 'Of the HTTP server; default: what the configuration says, else PORT, else 3111.' }),
};

/** `--no-open`, as the commands take it that open the console's page. */
export const openFlag = { open: Flags.boolean({ allowNo: true, default: true, summary: 'Open the link of the console in a browser; --no-open only prints it.' }) };

/** `--no-install`, as the commands take it that install the engine where it is missing. */
export const noInstallFlag = {
  'no-install': Flags.boolean({
    summary: 'Do not install @treadle/engine when the application lacks it; print the command and exit with 69.',
  }),
};

/**
 * What all commands share: `--json` prints the result of `run()` as one document, and failures are printed in the one
 * form of errors with the exit code of the first.
 */
export abstract class TreadleCommand<Result = unknown> extends Command {
  static override enableJsonFlag = true;

  abstract override run(): Promise<Result>;

  override logJson(document: unknown): void {
    // What a command has written while it ran is not said again.
    if (document !== undefined) printJson(document);
  }

  protected override async init(): Promise<void> {
    await super.init();
    // Whoever wants nothing installed may say so to any command; most never install.
    if (!('no-install' in (this.ctor.flags ?? {}))) this.argv = this.argv.filter((argument) => argument !== '--no-install');
  }

  protected override async catch(error: unknown): Promise<void> {
    process.exitCode = await reportFailure(error, this.jsonEnabled());
  }
}

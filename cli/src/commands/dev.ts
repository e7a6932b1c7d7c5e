import type { RunOptions } from '@treadle/engine';
import { configFlag, noInstallFlag, portFlag, TreadleCommand } from '../base-command.js';

/** `treadle dev`: runs the application in development mode in this process until Ctrl-C. */
export default class Dev extends TreadleCommand<void> {
  static override summary = 'Run the application and swap Steps as their files change.';
  static override description = 'Runs the sources in development mode. Reads .env of the application\'s root without '
    + 'overriding variables that are set. Ctrl-C drains and ends with 0, a second one ends at once. With --json each '
    + 'log record is one JSON line.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --port 4000'];
  static override flags = { ...configFlag, ...noInstallFlag, ...portFlag };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Dev);
    const { readyEngine } = await import('../application/ready-engine.js');
    const { engine, application } = await readyEngine({ ...flags, install: !flags['no-install'] }, this.jsonEnabled());
    const { cwd, configFile } = application;
    const { port } = flags;
    process.exitCode = await engine.runEngine({
      cwd, mode: 'development', argv0: 'treadle dev', stderr: process.stderr,
      ...await logging(this.jsonEnabled()), ...(port === undefined ? {} : { port }), ...(configFile === undefined ? {} : { configFile, watch: true }),
    });
  }
}

/** The log in words for developers, unless `--json` or `LOG_FORMAT` asks for the engine's own form. */
async function logging(json: boolean): Promise<Pick<RunOptions, 'env' | 'stdout'>> {
  const env = process.env;
  if (json) return { env: { ...env, LOG_FORMAT: 'json' }, stdout: process.stdout };
  if (env['LOG_FORMAT']) return { env, stdout: process.stdout };
  const { devOutput } = await import('../dev/dev-output.js');
  return { env: { ...env, LOG_FORMAT: 'json' }, stdout: await devOutput(process.stdout) };
}

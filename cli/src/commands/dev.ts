import type { RunOptions } from '@treadle/engine';
import type { PlanRequest } from '../application/plan.js';
import type { ReadyEngine } from '../application/ready-engine.js';
import { configFlag, noInstallFlag, openFlag, portFlag, TreadleCommand } from '../base-command.js';
import type { DevOutput } from '../dev/dev-output.js';
import type { EnvironmentWatch } from '../dev/environment-watch.js';
import { printErrors, reportFailure } from '../failure.js';

type Output = Pick<RunOptions, 'env' | 'logFormat'> & { readonly stdout: DevOutput | NodeJS.WriteStream };
type DevRequest = PlanRequest & { readonly port?: number | undefined; readonly open: boolean };

/** `treadle dev`: runs the application in development mode in this process until Ctrl-C. */
export default class Dev extends TreadleCommand<void> {
  /** The page was opened; an engine that starts anew opens no second one. */
  private opened = false;

  static override summary = 'Run the application and swap Steps as their files change.';
  static override description = 'Runs the sources in development mode. Reads the .env files of the application\'s root without '
    + 'overriding variables that are set, and starts anew when they change. Prints a link to the console that works once, and opens it where this '
    + 'is a terminal of the machine itself: not over SSH, and not in CI. Ctrl-C drains and ends with 0, a second one ends at once. With --json each '
    + 'log record is one JSON line.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --port 4000 --no-open'];
  static override flags = { ...configFlag, ...noInstallFlag, ...openFlag, ...portFlag };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Dev);
    const { readyEngine } = await import('../application/ready-engine.js');
    const request = { ...flags, mode: 'development', install: !flags['no-install'] } as const;
    const ready = await readyEngine(request, this.jsonEnabled());
    const { EnvironmentWatch } = await import('../dev/environment-watch.js');
    const environment = await EnvironmentWatch.start(ready.application, process.env);
    try {
      while (await this.runOnce(ready, request, environment));
    } finally {
      environment.stop();
    }
  }

  /** Runs the engine until it ends; true when it ended in order to be run again with other variables. */
  private async runOnce({ engine, application }: ReadyEngine, request: DevRequest, environment: EnvironmentWatch): Promise<boolean> {
    const { cwd, configFile } = application;
    const { port } = request;
    const anew = new AbortController();
    const end = { isAnew: false };
    const output = await this.output(request, environment.take());
    const ended = engine.runEngine({
      cwd, mode: 'development', argv0: 'treadle dev', stderr: process.stderr, signal: anew.signal, ...output,
      // Ctrl-C ends it, whether it comes before or after a change.
      onStopped: ({ signal }) => { end.isAnew = signal === undefined && anew.signal.aborted; },
      ...(port === undefined ? {} : { port }), ...(configFile === undefined ? {} : { configFile, watch: true }),
    });
    void this.awaitChange(request, environment).then((names) => anew.abort(`environment files changed ${names.join(', ')}; starting anew`));
    process.exitCode = await ended;
    if ('settled' in output.stdout) await output.stdout.settled();
    return end.isAnew && process.exitCode === 0;
  }

  /** The names of changed variables; what a configuration cannot be started with, or a file that cannot be read, is said, and waits for the next change. */
  private async awaitChange(request: DevRequest, environment: EnvironmentWatch): Promise<readonly string[]> {
    const { planApplication } = await import('../application/plan.js');
    for (;;) {
      try {
        const names = await environment.next();
        const { result } = await planApplication(request);
        if (result.errors.length === 0) return names;
        printErrors(result.errors);
      } catch (error) {
        await reportFailure(error, false);
      }
    }
  }

  /** The log in words for developers, unless `--json` or `LOG_FORMAT` asks for the engine's own form. */
  private async output(request: DevRequest, env: RunOptions['env']): Promise<Output> {
    if (this.jsonEnabled()) return { env, logFormat: 'json', stdout: process.stdout };
    if (env['LOG_FORMAT']) return { env, stdout: process.stdout };
    const { devOutput } = await import('../dev/dev-output.js');
    return { env, logFormat: 'json', stdout: await devOutput(process.stdout, (address) => this.link(request, address)) };
  }

  private async link({ config, open }: DevRequest, address: string): Promise<string | undefined> {
    const { openLink, ownLink } = await import('../admin/session-link.js');
    const url = await ownLink(config, address);
    if (url !== undefined && open && !this.opened) openLink({ url });
    this.opened ||= url !== undefined;
    return url;
  }
}

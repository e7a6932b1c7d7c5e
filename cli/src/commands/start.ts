import { configFlag, noInstallFlag, portFlag, TreadleCommand } from '../base-command.js';

/** `treadle start`: the engine in production mode with the Step processes of the build as its children. */
export default class Start extends TreadleCommand<void> {
  static override summary = 'Run the application in production: the build in dist, else the sources.';
  static override description = 'Runs the engine in this process, in production mode, with the Step processes as its children. '
    + 'Reads the .env files of the application\'s root without overriding variables that are set. SIGTERM and Ctrl-C drain and end with 0, '
    + 'a second one ends at once, SIGHUP reloads the configuration. The exit codes are those of treadle-engine. With --json the log is '
    + 'JSON lines on a terminal, too.';
  static override examples = ['<%= config.bin %> build && <%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --config production.yaml'];
  static override flags = { ...configFlag, ...noInstallFlag, ...portFlag };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Start);
    const { readyEngine } = await import('../application/ready-engine.js');
    const { engine, application, env } = await readyEngine({ ...flags, mode: 'production', install: !flags['no-install'] }, this.jsonEnabled());
    const { cwd, configFile } = application;
    const { port } = flags;
    process.exitCode = await engine.runEngine({
      cwd, mode: 'production', argv0: 'treadle start', stdout: process.stdout, stderr: process.stderr,
      env, ...this.jsonEnabled() && { logFormat: 'json' as const }, ...(port === undefined ? {} : { port }), ...(configFile === undefined ? {} : { configFile }),
    });
  }
}

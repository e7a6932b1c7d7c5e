import { configFlag, noInstallFlag, TreadleCommand } from '../base-command.js';

/** `treadle dev`: runs the application in development mode in this process until Ctrl-C. */
export default class Dev extends TreadleCommand<void> {
  static override summary = 'Run the application and swap Steps as their files change.';
  static override description = 'Runs the sources in development mode. Reads .env of the application\'s root without '
    + 'overriding variables that are set. Ctrl-C drains and ends with 0, a second one ends at once. With --json each '
    + 'log record is one JSON line.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --config config.yaml'];
  static override flags = { ...configFlag, ...noInstallFlag };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Dev);
    const { locateApplication } = await import('../application/application.js');
    const { applicationEnvironment } = await import('../application/dotenv.js');
    const { loadEngine } = await import('../application/engine-package.js');
    const application = locateApplication(process.cwd(), flags.config);
    const engine = await loadEngine(application, { install: !flags['no-install'] });
    // Step processes inherit the environment of this one.
    Object.assign(process.env, await applicationEnvironment(application));
    const { cwd, configFile } = application;
    process.exitCode = await engine.runEngine({
      cwd, env: logEnvironment(this.jsonEnabled()), mode: 'development', argv0: 'treadle dev',
      stdout: process.stdout, stderr: process.stderr,
      ...(configFile === undefined ? {} : { configFile, watch: true }),
    });
  }
}

/** Log lines are for people here, unless the caller or the environment asks for JSON. */
function logEnvironment(json: boolean): NodeJS.ProcessEnv {
  return { ...process.env, LOG_FORMAT: json ? 'json' : process.env['LOG_FORMAT'] ?? 'text' };
}

import { configFlag, TreadleCommand } from '../../base-command.js';

/** What was written, relative to the application's root. */
interface DockerFiles {
  readonly files: readonly string[];
}

/** `treadle generate docker`: what makes a container image of the application. */
export default class GenerateDocker extends TreadleCommand<DockerFiles> {
  static override summary = 'Write a Dockerfile, .dockerignore and compose.yaml.';
  static override description = 'For one image with the whole application, its Steps and the command line. They fit the package manager (npm, pnpm or yarn 1) and the languages '
    + 'of the application; files that exist are refused. "treadle docs deployment" explains them.';
  static override examples = ['<%= config.bin %> <%= command.id %>'];
  static override flags = configFlag;

  override async run(): Promise<DockerFiles> {
    const { flags } = await this.parse(GenerateDocker);
    const { requireApplication } = await import('../../application/presence.js');
    const { writeDockerFiles } = await import('../../generate/docker-files.js');
    // Beside package.json: the image is built from there.
    const files = await writeDockerFiles(requireApplication(flags.config).packageFolder);
    this.log(`written: ${files.join(', ')}\n"docker compose up --build" runs the application`);
    return { files };
  }
}

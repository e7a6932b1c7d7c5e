import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { commandOf, type Instruction, parseDockerfile, type Stage } from './dockerfile.js';
import { cleanEnvironment } from './engine-process.js';
import { StepProcess } from './step-process.js';
import { tempFolder } from './temp-folder.js';

/** What is no part of an image; as `.dockerignore` has it. */
const IGNORED = new Set(['node_modules', 'dist', 'data', '.env', '.git']);

export interface ImageMaker {
  /** Environment of the commands. Default: this process's, cleaned. */
  readonly env?: NodeJS.ProcessEnv;
  /** Carries a command out in another way; true when it did. `folder` is the stage's working directory. */
  readonly standIn?: (command: string, folder: string) => boolean;
}

/** What a Dockerfile makes, in a folder: its `COPY` and `RUN` are carried out as they are written, only without being root. */
export class DockerImage {
  private constructor(readonly folder: string, readonly stage: Stage, private readonly env: Readonly<Record<string, string>>, private readonly around: NodeJS.ProcessEnv) {}

  /** @throws Error with what a command of the file said when it fails */
  static make(context: string, { env: around = cleanEnvironment(), standIn = () => false }: ImageMaker = {}): DockerImage {
    const folders = new Map<string, string>();
    let image: DockerImage | undefined;
    for (const stage of parseDockerfile(readFileSync(join(context, 'Dockerfile'), 'utf8'))) {
      const folder = tempFolder();
      const env: Record<string, string> = {};
      for (const instruction of stage.instructions) carryOut(instruction, { context, folder, folders, env, around, standIn });
      if (stage.name !== undefined) folders.set(stage.name, folder);
      image = new DockerImage(folder, stage, env, around);
    }
    if (!image) throw new Error('the Dockerfile has no stage');
    return image;
  }

  /** Starts its command, or another one. */
  run(further: Readonly<Record<string, string>>, [command = '', ...args]: readonly string[] = commandOf(this.stage)): StepProcess {
    const program = command.startsWith('node_modules/') ? join(this.folder, command) : command;
    return new StepProcess({ command: program, args, cwd: this.folder, env: { ...this.around as Record<string, string>, ...this.env, ...further } });
  }

  /** Exit code of the health check. */
  health(further: Readonly<Record<string, string>>): number | null {
    const [command = '', ...args] = commandOf(this.stage, 'HEALTHCHECK');
    return spawnSync(command, args, { cwd: this.folder, env: { ...this.around, ...this.env, ...further } }).status;
  }
}

interface Site {
  readonly context: string;
  readonly folder: string;
  readonly folders: ReadonlyMap<string, string>;
  readonly env: Record<string, string>;
  readonly around: NodeJS.ProcessEnv;
  readonly standIn: (command: string, folder: string) => boolean;
}

function carryOut({ name, text }: Instruction, site: Site): void {
  if (name === 'COPY') copy(text, site);
  if (name === 'RUN') for (const command of text.split(' && ')) runCommand(command, site);
  if (name === 'ENV') for (const pair of text.split(' ')) Object.assign(site.env, Object.fromEntries([pair.split('=', 2)]));
}

/** Folders are the stages' `/app`. */
function copy(text: string, { context, folder, folders }: Site): void {
  const [, stage, what = ''] = /^(?:--from=(\S+) )?(.+) (\S+)$/.exec(text) ?? [];
  if (stage !== undefined) {
    if (what !== '/app') throw new Error(`only /app is copied between stages: ${text}`);
    cpSync(folders.get(stage) ?? '', folder, { recursive: true, verbatimSymlinks: true });
  } else if (what === '.') {
    cpSync(context, folder, { recursive: true, filter: (path) => path === context || !IGNORED.has(basename(path)) });
  } else {
    const pattern = new RegExp(`^${what.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
    cpSync(context, folder, { recursive: true, filter: (path) => path === context || (dirname(path) === context && pattern.test(basename(path))) });
  }
}

function runCommand(command: string, { folder, env, around, standIn }: Site): void {
  if (standIn(command, folder) || /^chown node:node \S+$/.test(command)) return; // Only root gives files away.
  if (/^mkdir -p data$/.test(command)) mkdirSync(join(folder, 'data'));
  else execFileSync('sh', ['-c', command], { cwd: folder, env: { ...around, ...env }, stdio: 'pipe' });
}

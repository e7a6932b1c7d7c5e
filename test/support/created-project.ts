import { spawn } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../architecture/workspace.js';
import { cleanEnvironment, cliProgram, EngineProcess } from './engine-process.js';

/** Configuration beside the project's own, on free ports: the default ones may be taken. */
const TEST_CONFIG = 'on-free-ports.yaml';
const HTTP_PORT = 'port: ${PORT:3111}';
/** An engine on a machine that is busy with tests would refuse requests. */
const TEST_HTTP = 'port: 0\n      max_event_loop_delay_ms: 60000';
const DEFAULT_CONFIG = `modules:
  - class: modules::http::HttpModule
    config:
      ${HTTP_PORT}
`;
const OWN_PORTS = `  - class: modules::steps::StepsModule
    config:
      port: 0
`;

/** What a finished program left. */
export interface Outcome {
  readonly code: number | null;
  /** stdout and stderr as they came. */
  readonly output: string;
}

/** An application made by `treadle create`, with the workspace's packages in the place of installed ones. */
export class CreatedProject {
  private constructor(readonly folder: string) {}

  /** @throws Error with the output when the command fails */
  static async make(parent: string, name: string, args: readonly string[]): Promise<CreatedProject> {
    const { code, output } = await run(process.execPath, [cliProgram(), 'create', name, '--no-install', ...args], parent);
    if (code !== 0) throw new Error(`create ended with ${String(code)}:\n${output}`);
    const project = new CreatedProject(join(parent, name));
    symlinkSync(join(ROOT, 'node_modules'), join(project.folder, 'node_modules'), 'dir');
    return project;
  }

  /** Runs a script of its package.json. */
  script(name: string): Promise<Outcome> {
    return run('npm', ['run', name], this.folder);
  }

  /** Runs a command of the command line. */
  treadle(...args: readonly string[]): Promise<Outcome> {
    return run(process.execPath, [cliProgram(), ...args], this.folder);
  }

  /** `treadle dev`. */
  dev(): EngineProcess {
    const config = join(this.folder, 'config.yaml');
    const own = existsSync(config) ? readFileSync(config, 'utf8') : DEFAULT_CONFIG;
    writeFileSync(join(this.folder, TEST_CONFIG), own.replace(HTTP_PORT, TEST_HTTP) + OWN_PORTS);
    return new EngineProcess({ cwd: this.folder, program: cliProgram(), args: ['dev', '--config', TEST_CONFIG] });
  }
}

function run(program: string, args: readonly string[], cwd: string): Promise<Outcome> {
  const child = spawn(program, args, { cwd, env: cleanEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => { output += text; });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

import { spawn } from 'node:child_process';
import { treadleError, type TreadleError } from '@treadle/api';
import { Progress } from '../terminal/progress.js';

/** How much of the package manager's output is kept for the case that it fails. */
const KEPT_OUTPUT = 4000;

/**
 * Runs a package manager with progress on stderr; stdout stays untouched.
 * @throws {INSTALL_FAILED} when it cannot be started or does not exit with 0; its last lines have been printed then
 */
export async function runInstall(command: readonly string[], folder: string, label: string): Promise<void> {
  const progress = new Progress(label);
  const outcome = await execute(command, folder);
  if (outcome.problem === undefined) {
    progress.end(`${label}: done in ${progress.elapsed}`);
    return;
  }
  progress.end(`${label}: failed`, false);
  if (outcome.output !== '') process.stderr.write(`${outcome.output.trimEnd()}\n`);
  throw installFailed(command, folder, outcome.problem);
}

function installFailed(command: readonly string[], folder: string, reason: string): TreadleError {
  return treadleError('INSTALL_FAILED', { command: command.join(' '), folder, reason });
}

interface InstallOutcome {
  readonly output: string;
  readonly problem?: string;
}

function execute([program = '', ...args]: readonly string[], cwd: string): Promise<InstallOutcome> {
  return new Promise((resolve) => {
    // On Windows package managers are .cmd files, which only a shell can start; the arguments are ours.
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' });
    let output = '';
    const keep = (chunk: Buffer): void => { output = (output + chunk.toString('utf8')).slice(-KEPT_OUTPUT); };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', (error: NodeJS.ErrnoException) => {
      resolve({ output, problem: error.code === 'ENOENT' ? `${program} is not installed` : error.message });
    });
    child.once('close', (code, signal) => {
      resolve(code === 0 ? { output } : { output, problem: signal ? `ended by ${signal}` : `exit code ${String(code)}` });
    });
  });
}

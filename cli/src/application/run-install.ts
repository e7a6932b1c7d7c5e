import { type ChildProcess, spawn } from 'node:child_process';
import { treadleError } from '@treadle/api';
import { Progress } from '../terminal/progress.js';

/** How much of the package manager's output is kept for the case that it fails. */
const KEPT_OUTPUT = 4000;

/** How package managers and Node.js call a registry that does not answer. */
const UNREACHABLE = /\b(?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|ConnectionRefused)\b/;
/** Frames of the package manager's own stack, which say nothing of the application. */
const FRAME = /^(?:npm (?:error|ERR!)|\W*)?\s+at .+(?:\(.*\)|:\d+:\d+)$/;

/**
 * Runs a package manager with progress on stderr; stdout stays untouched.
 * @throws {INSTALL_FAILED} when it cannot be started or does not exit with 0; its last lines have been printed then, unless
 * the reason says it all
 */
export async function runInstall(command: readonly string[], folder: string, label: string): Promise<void> {
  const progress = new Progress(label);
  const { problem, output } = await execute(command, folder);
  if (problem === undefined) {
    progress.end(`${label}: done in ${progress.elapsed}`);
    return;
  }
  progress.end(`${label}: failed`, false);
  const unreachable = UNREACHABLE.exec(output)?.[0];
  if (unreachable === undefined) process.stderr.write(withoutFrames(output));
  const reason = unreachable === undefined ? problem : `the package registry cannot be reached (${unreachable})`;
  throw treadleError('INSTALL_FAILED', { command: command.join(' '), folder, reason });
}

function withoutFrames(output: string): string {
  const lines = output.trimEnd().split('\n').filter((line) => !FRAME.test(line));
  return lines.join('') === '' ? '' : `${lines.join('\n')}\n`;
}

interface InstallOutcome {
  readonly output: string;
  readonly problem?: string;
}

function execute([program = '', ...args]: readonly string[], cwd: string): Promise<InstallOutcome> {
  return new Promise((resolve) => {
    // On Windows package managers are .cmd files, which only a shell can start; the arguments are ours.
    // Without file handles for them it has no pipes: `error` says so.
    const child: ChildProcess = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' });
    let output = '';
    const keep = (chunk: Buffer): void => { output = (output + chunk.toString('utf8')).slice(-KEPT_OUTPUT); };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.once('error', (error: NodeJS.ErrnoException) => {
      resolve({ output, problem: error.code === 'ENOENT' ? `${program} is not installed` : error.message });
    });
    child.once('close', (code, signal) => {
      resolve(code === 0 ? { output } : { output, problem: signal ? `ended by ${signal}` : `exit code ${String(code)}` });
    });
  });
}

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Environment } from '@treadle/api';
import { isAbsolute, join, resolve } from 'node:path';

/** Oldest version that runs Steps. */
export const OLDEST: readonly [number, number] = [3, 10];
/** Longest time that an interpreter may take to say its version; milliseconds. One that is only slow must not count as none. */
const ANSWER_MS = 30_000;
const IS_WINDOWS = process.platform === 'win32';
const IN_ENVIRONMENT = IS_WINDOWS ? 'Scripts/python.exe' : 'bin/python';

/** An interpreter that runs Steps. */
export interface FoundPython {
  /** Absolute path of the interpreter itself, behind whatever starts it. */
  readonly command: string;
  /** e.g. `3.11.7`. */
  readonly version: string;
}

/** Why there is none, for people. */
export interface NoPython {
  readonly problem: string;
}

export interface FindPythonOptions {
  /** Absolute folder of the application. */
  readonly root: string;
  /** What the configuration names: a command, or a path relative to the root. */
  readonly python?: string | undefined;
  /** Where commands are looked for. Default: those of this process. */
  readonly env?: Environment;
}

/**
 * Finds the interpreter: the one that is named; else that of a virtual environment in the application's folder; else
 * `python3` or `python`. One that is named, or in such a folder, is not passed over when it is unfit.
 */
export async function findPython({ root, python, env = process.env }: FindPythonOptions): Promise<FoundPython | NoPython> {
  const wanted = `Python ${OLDEST.join('.')} or newer is needed`;
  if (python !== undefined) return ask(located(root, python), env, `${wanted}; "python" names ${python}, which`);
  const own = ['.venv', 'venv'].map((folder) => join(root, folder, IN_ENVIRONMENT)).find((file) => existsSync(file));
  if (own !== undefined) return ask(own, env, `${wanted}; ${own}`);
  const problems: string[] = [];
  for (const command of IS_WINDOWS ? ['python', 'py'] : ['python3', 'python']) {
    const found = await ask(command, env, command);
    if (!('problem' in found)) return found;
    problems.push(found.problem);
  }
  return { problem: `${wanted}; there is no .venv in the application's folder, and ${problems.join(', ')}` };
}

function located(root: string, python: string): string {
  return isAbsolute(python) || !/[/\\]/.test(python) ? python : resolve(root, python);
}

const QUESTION = 'import sys; print(sys.version_info[0], sys.version_info[1], sys.version_info[2]); print(sys.executable)';

async function ask(command: string, env: Environment, who: string): Promise<FoundPython | NoPython> {
  const { stdout, error } = await answered(command, env);
  const match = /^(\d+) (\d+) (\d+)\s+(\S.*)/.exec(stdout);
  if (!match) return { problem: `${who} ${failure(error)}` };
  const [, major, minor, patch, executable = command] = match;
  const version = `${major}.${minor}.${patch}`;
  return isFit(Number(major), Number(minor)) ? { command: executable.trim(), version } : { problem: `${who} is Python ${version}` };
}

interface Answer {
  readonly stdout: string;
  readonly error?: (Error & { code?: unknown; killed?: boolean | undefined }) | null;
}

function answered(command: string, env: Environment): Promise<Answer> {
  return new Promise<Answer>((resolve) => {
    execFile(command, ['-I', '-c', QUESTION], { env, timeout: ANSWER_MS, windowsHide: true }, (error, stdout) => resolve({ stdout, error }));
  }).catch((error: Error) => ({ stdout: '', error })); // Without file descriptors for its output the start itself throws.
}

function failure(error: Answer['error']): string {
  if (error?.code === 'ENOENT') return 'does not exist';
  if (error?.code === 'EACCES') return 'cannot be executed';
  if (error?.killed) return `does not answer within ${ANSWER_MS / 1000} s`;
  return typeof error?.code === 'string' ? `cannot be started (${error.code})` : 'is no Python interpreter';
}

function isFit(major: number, minor: number): boolean {
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

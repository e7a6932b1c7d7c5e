import { spawnSync } from 'node:child_process';
import { cleanEnvironment, cliProgram } from './engine-process.js';

/** What `treadle build --json` says. */
export interface Built {
  readonly build: string;
  readonly files: readonly string[];
  readonly packages: Readonly<Record<string, string>>;
}

/** Builds an application with the command itself. @throws Error with its output when that fails */
export function buildApplication(folder: string): Built {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cliProgram(), 'build', '--json'], { cwd: folder, env: cleanEnvironment(), encoding: 'utf8' });
  if (status !== 0) throw new Error(`treadle build ended with ${String(status)}:\n${stdout}${stderr}`);
  return JSON.parse(stdout) as Built;
}

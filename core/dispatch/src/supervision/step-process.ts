import { type ChildProcess, spawn } from 'node:child_process';
import { withoutEngineSecrets } from '@treadle/worker/engine-secrets';

/** How a Step process is started. */
export interface StepProcess {
  /** The interpreter. */
  readonly command: string;
  /** Its options and the program. */
  readonly args: readonly string[];
  readonly cwd: string;
  /** Added to the engine's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a Step process with the engine's environment, less its secrets. Its file descriptor 3 is for marks. */
export function startStepProcess({ command, args, cwd, env: added }: StepProcess): ChildProcess {
  const env = withoutEngineSecrets({ ...process.env, ...added });
  return spawn(command, args, {
    cwd, env, stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    // A group of its own: Ctrl-C at a terminal is for the engine, which drains its workers itself.
    detached: process.platform !== 'win32',
  });
}

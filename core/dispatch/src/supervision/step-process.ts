import { type ChildProcess, spawn } from 'node:child_process';
import type { Environment } from '@treadle/api';
import { withoutEngineSecrets } from '@treadle/worker/engine-secrets';

/** How a Step process is started. */
export interface StepProcess {
  /** The interpreter. */
  readonly command: string;
  /** Its options and the program. */
  readonly args: readonly string[];
  readonly cwd: string;
  /** Its variables; the engine's secrets among them are left out. */
  readonly env: Environment;
}

/** Starts a Step process. Its file descriptor 3 is for marks. */
export function startStepProcess({ command, args, cwd, env }: StepProcess): ChildProcess {
  return spawn(command, args, {
    cwd, env: withoutEngineSecrets(env), stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    // A group of its own: Ctrl-C at a terminal is for the engine, which drains its workers itself.
    detached: process.platform !== 'win32',
  });
}

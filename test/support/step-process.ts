import { spawn, type ChildProcess } from 'node:child_process';
import { cleanEnvironment } from './engine-process.js';

export interface StepProcessStart {
  /** The interpreter. */
  readonly command: string;
  /** Its options and the program. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A Step process that is started by hand, the way an operator does it. */
export class StepProcess {
  readonly child: ChildProcess;
  /** Exit code, or null after a signal. */
  readonly exit: Promise<number | null>;
  /** stdout and stderr as they came. */
  output = '';

  constructor({ command, args, cwd, env }: StepProcessStart) {
    this.child = spawn(command, args, { cwd, env: { ...cleanEnvironment(), ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => { this.output += text; });
    }
    this.exit = new Promise((resolve) => {
      this.child.once('error', () => resolve(null));
      this.child.once('close', (code) => resolve(code));
    });
    running.add(this);
    void this.exit.then(() => running.delete(this));
  }

  /** Sends a signal and waits for the end. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal);
    return this.exit;
  }
}

const running = new Set<StepProcess>();

/** For `afterEach`: nothing that a failed test left behind goes on. */
export async function stopAllStepProcesses(): Promise<void> {
  await Promise.all([...running].map((started) => started.stop('SIGKILL')));
}

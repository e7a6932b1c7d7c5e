import { spawn, type ChildProcess } from 'node:child_process';

export interface UserCommand {
  /** Program and arguments, found through PATH as a user's would be. */
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A command that a user types, with all the processes that it starts. */
export class UserProcess {
  /** Exit code, or null after a signal. */
  readonly exit: Promise<number | null>;
  /** stdout and stderr as they came. */
  output = '';
  ended = false;
  private readonly child: ChildProcess;

  constructor(private readonly started: UserCommand) {
    const [program, ...args] = started.command;
    // A group of its own: npm, its shell and what they start end together.
    this.child = spawn(program, args, { cwd: started.cwd, env: started.env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => { this.output += text; });
    }
    this.exit = new Promise((resolve) => {
      const end = (code: number | null): void => { this.ended = true; running.delete(this); resolve(code); };
      this.child.once('error', (error) => { this.output += error.message; end(null); });
      this.child.once('close', end);
    });
    running.add(this);
  }

  /** Waits for the end. @throws Error with the output unless it succeeds */
  async succeeded(): Promise<string> {
    const code = await this.exit;
    if (code !== 0) throw this.failure(`ended with ${String(code)}`);
    return this.output;
  }

  /** Ctrl-C; kills what is left after a minute. */
  async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> {
    this.signal(signal);
    const killer = setTimeout(() => this.signal('SIGKILL'), 60_000);
    try {
      return await this.exit;
    } finally {
      clearTimeout(killer);
    }
  }

  failure(what: string): Error {
    return new Error(`${this.started.command.join(' ')}: ${what}\n${this.output}`);
  }

  private signal(signal: NodeJS.Signals): void {
    if (this.ended || this.child.pid === undefined) return;
    try {
      process.kill(-this.child.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // All of them ended meanwhile.
    }
  }
}

const running = new Set<UserProcess>();

/** For `after`: nothing that a failed journey left behind goes on. */
export async function stopAllUserProcesses(): Promise<void> {
  await Promise.all([...running].map((one) => one.stop('SIGKILL')));
}

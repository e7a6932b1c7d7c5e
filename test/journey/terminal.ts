import { UserProcess } from './user-process.js';
import { waitUntil } from '../support/wait-until.js';

const LIMIT_MS = 180_000;

/** A terminal whose commands and output are written down, with the seconds that each took. */
export class Terminal {
  /** What was typed and printed so far, as it came. */
  readonly lines: string[] = [];

  constructor(private readonly env: NodeJS.ProcessEnv, public cwd: string) {}

  /** Types a command and waits for its end. @throws Error with its output unless it ends with 0 */
  async type(command: string): Promise<string> {
    const started = performance.now();
    const output = await this.start(command).succeeded();
    this.write(`$ ${command}`, ...textLines(output), `# ${seconds(started)}`);
    return output;
  }

  /** Types a command that goes on, and waits for what it prints. */
  async begin(command: string, until: RegExp): Promise<Session> {
    const started = performance.now();
    const session = new Session(this.start(command), (...lines) => this.write(...lines));
    this.write(`$ ${command} &`);
    await session.prints(until, started);
    return session;
  }

  private start(command: string): UserProcess {
    return new UserProcess({ command: ['sh', '-c', command], cwd: this.cwd, env: this.env });
  }

  private write(...lines: readonly string[]): void {
    this.lines.push(...lines);
  }
}

/** A command that goes on beside what is typed next. */
export class Session {
  private shown = 0;

  constructor(private readonly process: UserProcess, private readonly write: (...lines: readonly string[]) => void) {}

  /** Waits until it has printed something since the last time, and writes all of that down. @throws Error with all that it has printed */
  async prints(text: RegExp, started = performance.now()): Promise<void> {
    await waitUntil(String(text), () => {
      if (text.test(this.process.output.slice(this.shown))) return true;
      if (this.process.ended) throw this.process.failure('ended');
      return undefined;
    }, LIMIT_MS).catch((error: Error) => { throw this.process.failure(error.message); });
    this.note();
    this.write(`# ${seconds(started)}`);
  }

  /** Ends it as a service manager or Ctrl-C does. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const started = performance.now();
    await this.process.stop(signal);
    this.write(signal === 'SIGINT' ? '^C' : '$ kill %1');
    this.note();
    this.write(`# ${seconds(started)}`);
  }

  private note(): void {
    const { output } = this.process;
    this.write(...textLines(output.slice(this.shown)));
    this.shown = output.length;
  }
}

function seconds(started: number): string {
  return `${((performance.now() - started) / 1000).toFixed(1)} s`;
}

function textLines(output: string): readonly string[] {
  const plain = output.replaceAll(/\u001b\[[\d;]*m/g, '').trimEnd();
  return plain === '' ? [] : plain.split('\n').map((line) => line.trimEnd());
}

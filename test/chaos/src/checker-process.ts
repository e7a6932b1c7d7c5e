import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Verdict } from './verdict.js';

const program = (name: string): string => fileURLToPath(new URL(`../checker/${name}`, import.meta.url));

export interface CheckerStatus {
  readonly lines: number;
  /** Acknowledged messages that no handler has finished. */
  readonly outstanding: number;
  /** Processes of the last handlers. */
  readonly recentPids: readonly number[];
}

/** The checker in its own process, and a connection to it. */
export class CheckerProcess {
  private readonly waiting = new Map<number, (answer: string) => void>();
  private numbers = 0;

  private constructor(private readonly child: ChildProcess, private readonly socket: Socket, readonly port: number, readonly history: string) {
    createInterface({ input: socket }).on('line', (line) => {
      const [number = '', ...rest] = line.split(' ');
      this.waiting.get(Number(number))?.(rest.join(' '));
      this.waiting.delete(Number(number));
    });
  }

  static async start(history: string): Promise<CheckerProcess> {
    const child = spawn(process.execPath, [program('checker.mjs'), history], { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: process.env['PATH'] } });
    const output = child.stdout;
    if (!output) throw new Error('the checker has no output');
    const [line] = await once(createInterface({ input: output }), 'line') as [string];
    const { port } = JSON.parse(line) as { port: number };
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new CheckerProcess(child, socket, port, history);
  }

  /** Resolves when it is written down and synced. */
  async tell(event: Readonly<Record<string, unknown>>): Promise<void> {
    await this.send(event);
  }

  async status(): Promise<CheckerStatus> {
    return JSON.parse(await this.send({ type: 'status' })) as CheckerStatus;
  }

  /** Ends the checker and reads its history. */
  async verdict(): Promise<Verdict> {
    this.stop();
    const { stdout } = await promisify(execFile)(process.execPath, [program('analysis.mjs'), this.history], { maxBuffer: 1e8 });
    return JSON.parse(stdout) as Verdict;
  }

  stop(): void {
    this.socket.destroy();
    this.child.kill('SIGKILL');
  }

  private send(event: Readonly<Record<string, unknown>>): Promise<string> {
    const number = ++this.numbers;
    this.socket.write(`${number} ${JSON.stringify(event)}\n`);
    return new Promise((resolve) => this.waiting.set(number, resolve));
  }
}

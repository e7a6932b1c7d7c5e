import { type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { eventually } from './eventually.js';

/** A server that a store is kept on, and how one is run. */
export interface ServerProgram {
  /** For errors, e.g. `Redis`. */
  readonly name: string;
  /** Starts it; called again after each end. What it stores belongs in `folder`; what it prints is told when it does not come up, where that is piped. */
  launch(port: number, folder: string): ChildProcess;
  /** Made ready before the first start. */
  prepare?(folder: string): void;
  /** What clients are given. */
  url(port: number): string;
  /** It takes commands; `false` while it does not, or not yet. */
  answers(url: string): Promise<boolean>;
  /** Ends it as a crash does, its connections with it. Default: SIGKILL. */
  readonly crash?: NodeJS.Signals;
}

/** Another process may take the port before the server does: how many ports are tried. */
const TRIES = 3;
/** How much of what a server printed is told. */
const PRINTED = 2_000;

/** A server of its own for tests, in a temporary folder, on a free port of this machine. It ends with the process at the latest. */
export class ServerProcess {
  private server: ChildProcess;
  private printed = '';
  private readonly signal: NodeJS.Signals;
  private readonly endWithTests = (): void => void this.server.kill(this.signal);

  private constructor(private readonly program: ServerProgram, readonly port: number, private readonly folder: string) {
    this.signal = program.crash ?? 'SIGKILL';
    this.server = this.launched();
    process.once('exit', this.endWithTests);
  }

  /** @throws an `Error` when it does not answer within a minute, or ends before it does, on each of three ports */
  static async start(program: ServerProgram): Promise<ServerProcess> {
    for (let left = TRIES; ; left -= 1) {
      const folder = mkdtempSync(join(tmpdir(), 'treadle-server-'));
      program.prepare?.(folder);
      const started = new ServerProcess(program, await freePort(), folder);
      try {
        await started.answering();
        return started;
      } catch (error) {
        const { ended } = started;
        await started.stop();
        if (!ended || left <= 1) throw error;
      }
    }
  }

  get url(): string {
    return this.program.url(this.port);
  }

  /** Ends it as a crash does; what it has stored stays. */
  async crash(): Promise<void> {
    if (this.ended) return;
    const ended = once(this.server, 'exit');
    this.server.kill(this.signal);
    await ended;
  }

  /** Starts it again, with what it has stored. */
  async resume(): Promise<void> {
    this.server = this.launched();
    await this.answering();
  }

  /** It answers nothing until it is released. */
  hold(): void {
    this.server.kill('SIGSTOP');
  }

  release(): void {
    this.server.kill('SIGCONT');
  }

  /** Ends it and removes what it has written. */
  async stop(): Promise<void> {
    await this.crash();
    process.off('exit', this.endWithTests);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private get ended(): boolean {
    return this.server.exitCode !== null || this.server.signalCode !== null;
  }

  private launched(): ChildProcess {
    this.printed = '';
    const server = this.program.launch(this.port, this.folder);
    for (const stream of [server.stdout, server.stderr]) {
      // A server that is shared by tests ends with their process, which it must not keep.
      (stream as Socket | null)?.unref();
      stream?.setEncoding('utf8').on('data', (text: string) => { this.printed = `${this.printed}${text}`.slice(-PRINTED); });
    }
    return server;
  }

  private async answering(): Promise<void> {
    await eventually(`an answer of ${this.program.name}`, () => this.answers(), Boolean, 60_000).catch((error: unknown) => {
      throw new Error(`${(error as Error).message}${this.printed && `\n${this.printed}`}`, { cause: error });
    });
  }

  /** A server that has ended never does, whoever answers on its port. */
  private async answers(): Promise<boolean> {
    const answers = await this.program.answers(this.url);
    if (this.ended) throw new Error(`${this.program.name} ended with ${this.server.signalCode ?? this.server.exitCode} before it answered`);
    return answers;
  }
}

/**
 * The first folder that has all of the programs: of `PATH`, then of `more`.
 * @returns undefined where they are not installed
 */
export function programFolder(programs: readonly string[], more: readonly string[] = []): string | undefined {
  return [...(process.env['PATH'] ?? '').split(delimiter), ...more].find((folder) => programs.every((program) => existsSync(join(folder, program))));
}

/** Below those that systems give to connections: one that looks for a server which is away for a moment could be given its port, even that which it looks for. */
const [LEAST_PORT, PORTS] = [12_000, 18_000];

/** A port of 127.0.0.1 that was free a moment ago, and that no outgoing connection takes. */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer().listen(LEAST_PORT + randomInt(PORTS), '127.0.0.1');
    const isFree = await once(server, 'listening').then(() => true, () => false);
    if (!isFree) continue;
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

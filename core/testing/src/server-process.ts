import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { eventually } from './eventually.js';

/** A server that a store is kept on, and how one is run. */
export interface ServerProgram {
  /** For errors, e.g. `Redis`. */
  readonly name: string;
  /** Starts it; called again after each end. What it stores belongs in `folder`. */
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

/** A server of its own for tests, in a temporary folder, on a free port of this machine. It ends with the process at the latest. */
export class ServerProcess {
  private server: ChildProcess;
  private readonly signal: NodeJS.Signals;
  private readonly endWithTests = (): void => void this.server.kill(this.signal);

  private constructor(private readonly program: ServerProgram, readonly port: number, private readonly folder: string) {
    this.signal = program.crash ?? 'SIGKILL';
    this.server = program.launch(port, folder);
    process.once('exit', this.endWithTests);
  }

  /** @throws an `Error` when it does not answer within a minute */
  static async start(program: ServerProgram): Promise<ServerProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'treadle-server-'));
    program.prepare?.(folder);
    const started = new ServerProcess(program, await freePort(), folder);
    await started.answering().catch(async (error: unknown) => {
      await started.stop();
      throw error;
    });
    return started;
  }

  get url(): string {
    return this.program.url(this.port);
  }

  /** Ends it as a crash does; what it has stored stays. */
  async crash(): Promise<void> {
    if (this.server.exitCode !== null || this.server.signalCode !== null) return;
    const ended = once(this.server, 'exit');
    this.server.kill(this.signal);
    await ended;
  }

  /** Starts it again, with what it has stored. */
  async resume(): Promise<void> {
    this.server = this.program.launch(this.port, this.folder);
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

  private async answering(): Promise<void> {
    await eventually(`an answer of ${this.program.name}`, () => this.program.answers(this.url), Boolean, 60_000);
  }
}

/**
 * The first folder that has all of the programs: of `PATH`, then of `more`.
 * @returns undefined where they are not installed
 */
export function programFolder(programs: readonly string[], more: readonly string[] = []): string | undefined {
  return [...(process.env['PATH'] ?? '').split(delimiter), ...more].find((folder) => programs.every((program) => existsSync(join(folder, program))));
}

/** A port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { residentMegabytes } from '../../bench/src/process-usage.js';
import { announced, cleanEnvironment, engineProgram } from '../../support/engine-process.js';
import { request } from '../../support/http-client.js';
import { waitUntil } from '../../support/wait-until.js';
import { readersApplication, type RuntimeName } from './application.js';
import { EngineMemory, type Memory } from './memory.js';

export interface LogOptions {
  readonly runtime: RuntimeName;
  /** Logged by handlers while nobody reads. */
  readonly lines: number;
}

export interface LogResult {
  readonly memory: Memory;
  /** Lines of handlers that were read in the end, and those that records say were dropped, by engine or Step process. */
  readonly read: number;
  readonly dropped: number;
  readonly faults: readonly string[];
}

const REQUESTS = 20;
const DROPPED = /log (?:lines|records) were dropped.*?"(?:lines|dropped)":(\d+)/;

/** A real engine whose output is a pipe that nobody reads while its handlers log; it is read afterwards. */
export async function runLog({ runtime, lines }: LogOptions): Promise<LogResult> {
  const cwd = readersApplication(runtime, {});
  const child = spawn(process.execPath, [engineProgram(), '--config', 'config.yaml'], { cwd, env: cleanEnvironment(), stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const engine = new UnreadEngine(child, cwd);
    const url = await engine.ready();
    const memory = new EngineMemory(child.pid ?? 0);
    for (let n = 0; n < REQUESTS; n++) await request('GET', `${url}/logged?bytes=100&lines=${Math.ceil(lines / REQUESTS)}`);
    return { memory: memory.stop(), ...await engine.readAll(url) };
  } finally {
    if (child.exitCode === null) child.kill('SIGKILL');
  }
}

class UnreadEngine {
  private read = 0;
  private dropped = 0;
  private rest = '';

  constructor(private readonly child: ChildProcess, private readonly cwd: string) {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => this.take(text)).pause();
  }

  async ready(): Promise<string> {
    const state = await waitUntil('an engine', () => announced(join(this.cwd, 'data'), this.child.pid ?? 0)['http']);
    await waitUntil('the Step', async () => (await request('GET', `${state}/logged?bytes=1&lines=0`).catch(() => undefined))?.status === 200, 60_000);
    return state;
  }

  /** Reads what waits, until a line that is logged then has come; then lets the engine end. */
  async readAll(url: string): Promise<Omit<LogResult, 'memory'>> {
    this.child.stdout?.resume();
    const alive = residentMegabytes(this.child.pid ?? 0) > 0;
    await waitUntil('word of what was dropped', () => this.dropped > 0, 30_000).catch(() => undefined);
    const answered = (await request('GET', `${url}/logged?bytes=1&lines=1`).catch(() => undefined))?.status === 200;
    const ended = new Promise<number | null>((resolve) => this.child.once('close', resolve));
    this.child.kill('SIGTERM');
    const code = await ended;
    return { read: this.read, dropped: this.dropped, faults: alive && answered && code === 0 ? [] : [`alive: ${alive}, answers: ${answered}, exit code: ${code}`] };
  }

  private take(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.includes('"a line"')) this.read++;
      this.dropped += Number(DROPPED.exec(line)?.[1] ?? 0);
    }
  }
}

import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../architecture/workspace.js';
import { request } from './http-client.js';
import { putOnTestStore } from './test-store.js';
import { waitUntil } from './wait-until.js';

export interface EngineStart {
  /** Working directory; the application's root unless `args` names a file elsewhere. */
  readonly cwd: string;
  readonly args?: readonly string[];
  /** Variables beside those of `cleanEnvironment`; undefined takes one of these away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: `<cwd>/data`. */
  readonly dataDir?: string;
  /** A program other than `treadle-engine`: path of its script. */
  readonly program?: string;
  /** Another Node.js than the one of the tests: path of its binary. */
  readonly node?: string;
  /** User and group that it runs as; only root can choose. */
  readonly user?: number;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How long an engine may take on a machine that has much else to do. */
const START_MS = 60_000;
/** How long one may take to drain and stop there; only against hanging. */
const END_MS = 90_000;

/** The real executable in a process of its own. */
export class EngineProcess {
  readonly child: ChildProcess;
  readonly exit: Promise<Exit>;
  readonly dataDir: string;
  /** stdout and stderr as they came. */
  output = '';
  ended = false;

  constructor(start: EngineStart) {
    this.dataDir = start.dataDir ?? join(start.cwd, 'data');
    putOnTestStore(start.cwd, start.args ?? [], this.dataDir);
    this.child = spawn(start.node ?? process.execPath, [start.program ?? engineProgram(), ...(start.args ?? [])], {
      cwd: start.cwd, env: { ...cleanEnvironment(), ...start.env }, stdio: ['ignore', 'pipe', 'pipe'],
      ...start.user === undefined ? {} : { uid: start.user, gid: start.user },
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => { this.output += text; });
    }
    this.exit = new Promise((resolve) => {
      this.child.once('close', (code, signal) => { this.ended = true; resolve({ code, signal }); });
    });
    running.add(this);
    void this.exit.then(() => running.delete(this));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Address that the engine announced under a name, e.g. `http`. */
  async address(name: string): Promise<string> {
    return waitUntil(`address "${name}" of the engine\n${this.output}`, () => {
      if (this.ended) throw new Error(`the engine ended:\n${this.output}`);
      return announced(this.dataDir, this.pid)[name];
    }, START_MS);
  }

  /** Waits until `GET /health` is 200 and gives the HTTP address. */
  async ready(): Promise<string> {
    const url = await this.address('http');
    await waitUntil('a healthy engine', async () => {
      if (this.ended) throw new Error(`the engine ended:\n${this.output}`);
      return (await request('GET', `${url}/health`).catch(() => undefined))?.status === 200;
    }, START_MS);
    return url;
  }

  /** Sends a signal and waits for the end; kills an engine that does not come to it. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Exit> {
    if (!this.ended) this.child.kill(signal);
    const killer = setTimeout(() => this.child.kill('SIGKILL'), END_MS);
    try {
      return await this.exit;
    } finally {
      clearTimeout(killer);
    }
  }
}

const running = new Set<EngineProcess>();

/** Waits until an engine has printed all of these: its output and its answers reach a test on different ways. */
export async function tells(engine: EngineProcess, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    await waitUntil(`"${text}" in the output of the engine`, () => engine.output.includes(text)).catch((error: Error) => {
      throw new Error(`${error.message}:\n${engine.output}`);
    });
  }
}

/** For `afterEach`: nothing that a failed test left behind goes on. */
export async function stopAllEngines(): Promise<void> {
  await Promise.all([...running].map((engine) => engine.stop('SIGKILL')));
}

/** Absolute path of the script behind `treadle-engine`. */
export function engineProgram(): string {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'core/engine/package.json'), 'utf8')) as { bin: Record<string, string> };
  return join(ROOT, 'core/engine', manifest.bin['treadle-engine'] ?? '');
}

/** Absolute path of the script behind `treadle`. */
export function cliProgram(): string {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'cli/package.json'), 'utf8')) as { bin: Record<string, string> };
  return join(ROOT, 'cli', manifest.bin['treadle-cli'] ?? '');
}

/** The environment without what belongs to the test run. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const own = /^(NODE_OPTIONS|TSX_|TREADLE_|ENGINE_|npm_|MOCHA|NODE_ENV|NODE_PATH)/;
  const inherited = Object.entries(process.env).filter(([name]) => !own.test(name));
  // Modules that a test's configuration does not name listen as well.
  return { ...Object.fromEntries(inherited), STREAM_PORT: '0', CONSOLE_PORT: '0', WORKER_PORT: '0' };
}

/** Addresses by name that an engine with this pid announced in its data folder; empty before it has. */
export function announced(dataDir: string, pid: number): Record<string, string> {
  const file = join(dataDir, 'engine.json');
  if (!existsSync(file)) return {};
  try {
    const state = JSON.parse(readFileSync(file, 'utf8')) as { pid: number; addresses: Record<string, string> };
    return state.pid === pid ? state.addresses : {};
  } catch {
    return {}; // half written
  }
}

import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { StepFileReport } from '@treadle/protocol';
import { discoverStepFiles } from './discover.js';
import { EngineAddressError, findEngine, type EngineAddressOptions } from './engine-address.js';
import type { PrebuiltStep } from './loading/step-catalog.js';
import type { RunnerHost } from './runner-host.js';
import { Backoff } from './session/backoff.js';
import type { ClosedReason } from './session/engine-socket.js';
import { WorkerSession } from './session/worker-session.js';
import { StepRunner } from './step-runner.js';

export interface StartWorkerOptions extends Partial<EngineAddressOptions> {
  /** Folder of the application. Default: the working directory. */
  readonly root?: string | undefined;
  /** Default: production. */
  readonly mode?: 'development' | 'production' | undefined;
  /** Handlers of a build. Default: Step files are discovered and loaded. */
  readonly load?: (() => Promise<readonly PrebuiltStep[]>) | undefined;
  /** Name of the application. Default: of package.json, else of the folder. */
  readonly application?: string | undefined;
  /** Content hash of the build. */
  readonly build?: string | undefined;
  readonly esbuild?: string | undefined;
  readonly cacheDir?: string | undefined;
  /** What happens to the connection, for people. */
  readonly onStatus?: ((message: string) => void) | undefined;
}

/** A Step process that was started by hand. */
export interface WorkerHandle {
  /** What is wrong with the files, if anything. */
  readonly reports: readonly StepFileReport[];
  /** Ends in order: nothing new, running handlers finish. Resolves when the connection is closed. */
  stop(): Promise<void>;
  /** Writes what waits for the end of the turn, e.g. before the process ends. */
  flush(): void;
  /** Resolves when the worker has ended: after `stop`, or when an engine refused it for good (then with the reason). */
  readonly ended: Promise<string | undefined>;
}

/** Refusals that another attempt cannot mend. */
const FINAL = [4002];

/**
 * Serves Steps to an engine elsewhere: finds it, registers the whole catalog, and comes back with growing pauses (100 ms to
 * 30 s) when the connection is lost.
 */
export async function startWorker(options: StartWorkerOptions = {}): Promise<WorkerHandle> {
  const root = resolve(options.root ?? process.cwd());
  const worker = new RemoteWorker({ ...options, root });
  await worker.begin();
  return worker;
}

class RemoteWorker implements WorkerHandle, RunnerHost {
  reports: readonly StepFileReport[] = [];
  readonly ended: Promise<string | undefined>;
  readonly #options: StartWorkerOptions & { readonly root: string };
  readonly #runner: StepRunner;
  readonly #backoff = new Backoff();
  #session: WorkerSession | undefined;
  #retry: NodeJS.Timeout | undefined;
  #stopped = false;
  #end: (reason?: string) => void = () => undefined;

  constructor(options: StartWorkerOptions & { readonly root: string }) {
    this.#options = options;
    const { root, mode = 'production', esbuild, cacheDir } = options;
    this.#runner = new StepRunner({ root, mode, esbuild, cacheDir, host: this });
    this.ended = new Promise((resolveEnded) => {
      this.#end = resolveEnded;
    });
  }

  async begin(): Promise<void> {
    const { load, root } = this.#options;
    this.reports = load ? await this.#runner.adopt(await load()) : await this.#runner.load(await discoverStepFiles(root));
    const application = this.#options.application ?? (await applicationName(root));
    await this.#connect(application);
  }

  operation(callId: number, op: string, args: unknown): Promise<unknown> {
    return this.#session ? this.#session.operation(callId, op, args) : Promise.reject(new Error('there is no engine'));
  }

  log(callId: number | undefined, entry: Parameters<RunnerHost['log']>[1]): void {
    this.#session?.log(callId, entry);
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    clearTimeout(this.#retry);
    await this.#session?.leave();
    this.#end();
  }

  flush(): void {
    this.#session?.flush();
  }

  /** The address and the token are looked up each time: another engine may have taken over meanwhile. */
  async #connect(application: string): Promise<void> {
    const { root, build } = this.#options;
    const again = (reason: string): void => this.#again(application, reason);
    try {
      const { url, token } = await findEngine({ cwd: root, ...this.#options });
      if (this.#stopped) return;
      this.#session = new WorkerSession({
        url, token, hello: { application, root, ...(build === undefined ? {} : { build }) }, runner: this.#runner, loads: false,
        onWelcome: () => this.#welcome(url),
        onDrained: () => again('the engine is stopping'),
        onLost: (reason) => this.#lost(reason, again),
      });
    } catch (error) {
      if (!(error instanceof EngineAddressError)) throw error;
      again(error.message);
    }
  }

  #welcome(url: string): void {
    this.#backoff.reset();
    this.#session?.register(this.reports);
    this.#options.onStatus?.(`connected to ${url}`);
  }

  #lost({ code, message, refused }: ClosedReason, again: (reason: string) => void): void {
    this.#session = undefined;
    if (FINAL.includes(code)) this.#end(message);
    else again(refused === undefined ? message : `the engine refused this worker (${refused}): ${message}`);
  }

  #again(application: string, reason: string): void {
    if (this.#stopped) return;
    this.#session = undefined;
    const delayMs = this.#backoff.next();
    this.#options.onStatus?.(`${reason}; next attempt in ${(delayMs / 1000).toFixed(1)} s`);
    this.#retry = setTimeout(() => void this.#connect(application), delayMs);
  }
}

async function applicationName(root: string): Promise<string> {
  try {
    const { name } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { name?: unknown };
    if (typeof name === 'string' && name !== '') return name;
  } catch {
    // no package.json, or one that npm would not read either: the folder has a name too
  }
  return basename(root);
}

import { resolve } from 'node:path';
import type { HelloMessage, StepFile, StepFileReport } from '@treadle/protocol';
import {
  applicationName, type BuildLock, BuildLockError, builtFiles, builtModules, readBuildLock, readLockFile, reportsElsewhere, rootOfBuild, stepFilesOf,
} from '@treadle/protocol/build-lock';
import { discoverStepFiles, isNodeStep } from './discover.js';
import { EngineAddressError, findEngine, type EngineAddressOptions } from './engine-address.js';
import type { PrebuiltStep } from './loading/step-catalog.js';
import type { RunnerHost } from './runner-host.js';
import { Backoff } from './session/backoff.js';
import type { ClosedReason } from './session/engine-socket.js';
import { catchStrayErrors } from './session/stray-errors.js';
import { WorkerSession } from './session/worker-session.js';
import { StepRunner, type StepRunnerOptions } from './step-runner.js';

export interface StartWorkerOptions extends Partial<EngineAddressOptions> {
  /** Folder of the application. Default: the working directory. */
  readonly root?: string | undefined;
  /** Default: production. */
  readonly mode?: 'development' | 'production' | undefined;
  /** Folder of a build: its files are served, and what its lock file says counts. Default: Step files are discovered. */
  readonly dist?: string | undefined;
  /** Handlers that are in memory already. Default: Step files are discovered and loaded. */
  readonly load?: (() => Promise<readonly PrebuiltStep[]>) | undefined;
  /** Name of the application. Default: of the lock file, else of the folder. */
  readonly application?: string | undefined;
  /** Content hash of the build. Default: of the lock file, in production. */
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
  /** From now on errors that nobody caught end what made them; `end` is called for one of the worker's own code. */
  catchStrayErrors(end: () => void): void;
  /** Resolves when the worker has ended: after `stop`, or when an engine refused it for good (then with the reason). */
  readonly ended: Promise<string | undefined>;
}

/** Refusal of an engine that is about to be away. */
const STOPPING = 'draining';
/** What keeps a worker in production from being started. */
const REFUSING: readonly string[] = ['environment', 'secret'];

/** Variables that the application declares are missing or wrong, or a guard has no secret; the message says which. */
export class EnvironmentError extends Error {
  constructor(readonly reports: readonly StepFileReport[]) {
    super(`the environment lacks what the application needs: ${[...new Set(reports.map(({ file, problem }) => `${problem?.at ?? file}: ${problem?.message ?? ''}`))].join('; ')}`);
  }
}

/** Refusals that another attempt cannot mend. */
const FINAL = [4002];

/**
 * Serves Steps to an engine elsewhere: finds it, registers the whole catalog, and comes back with growing pauses: 100 ms to 2 s while
 * there is no engine, up to 30 s when it refuses this worker.
 * @throws EnvironmentError in production, when variables are missing
 */
export async function startWorker(options: StartWorkerOptions = {}): Promise<WorkerHandle> {
  const dist = options.dist === undefined ? undefined : resolve(options.dist);
  const root = resolve(options.root ?? (dist === undefined ? process.cwd() : rootOfBuild(dist)));
  const worker = new RemoteWorker({ ...options, root, ...await workOf(options, root, dist) });
  await worker.begin();
  return worker;
}

/** What a worker serves, and what it says about it. */
interface Work {
  /** Absent: they are in memory. */
  readonly files?: readonly StepFile[] | undefined;
  /** What others serve of the same build. */
  readonly elsewhere: readonly StepFileReport[];
  readonly hello: Pick<HelloMessage, 'application' | 'build' | 'root'>;
  readonly built?: Pick<StepRunnerOptions, 'built' | 'hooks'> | undefined;
  /** The files and what is served elsewhere are all that the application has. */
  readonly whole: boolean;
}

/** @throws BuildLockError */
async function workOf(options: StartWorkerOptions, root: string, dist: string | undefined): Promise<Work> {
  if (dist !== undefined) return workOfBuild(requireLock(dist), root, dist);
  const { mode = 'production', application, build, load } = options;
  const lock = readLockFile(root);
  const hello = {
    root, application: application ?? applicationName(root, lock), build: build ?? (mode === 'production' ? lock?.build : undefined),
  };
  const files = load ? undefined : await discoverStepFiles(root);
  // Files of other languages are served elsewhere: then this is not all that there is.
  return { files, hello, elsewhere: [], whole: files === undefined || files.every(({ file }) => isNodeStep(file)) };
}

function workOfBuild(lock: BuildLock, root: string, dist: string): Work {
  return {
    hello: { root, application: lock.name, build: lock.build }, built: { built: builtModules(dist, lock), hooks: false },
    files: stepFilesOf(builtFiles(lock, 'node')), elsewhere: reportsElsewhere(lock, 'node'), whole: true,
  };
}

function requireLock(dist: string): BuildLock {
  const lock = readBuildLock(dist);
  if (!lock) throw new BuildLockError(`there is no build in ${dist}`);
  return lock;
}

type WorkerOptions = StartWorkerOptions & Work & { readonly root: string };

class RemoteWorker implements WorkerHandle, RunnerHost {
  reports: readonly StepFileReport[] = [];
  readonly ended: Promise<string | undefined>;
  readonly #options: WorkerOptions;
  readonly #runner: StepRunner;
  readonly #backoff = new Backoff();
  #session: WorkerSession | undefined;
  #retry: NodeJS.Timeout | undefined;
  #stopped = false;
  #end: (reason?: string) => void = () => undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
    const { root, mode = 'production', esbuild, cacheDir, built } = options;
    this.#runner = new StepRunner({ root, mode, esbuild, cacheDir, ...built, opens: true, host: this, onReports: (reports) => this.#renew(reports) });
    this.ended = new Promise((resolveEnded) => {
      this.#end = resolveEnded;
    });
  }

  async begin(): Promise<void> {
    const { load, files } = this.#options;
    this.reports = files ? await this.#runner.load(files) : await this.#runner.adopt(await load?.() ?? []);
    const refused = this.#options.mode === 'development' ? [] : this.reports.filter(({ problem }) => REFUSING.includes(problem?.kind ?? ''));
    if (refused.length > 0) throw new EnvironmentError(refused);
    await this.#connect();
  }

  log(callId: number | undefined, entry: Parameters<RunnerHost['log']>[1]): void {
    this.#session?.log(callId, entry);
  }

  spans(spans: Parameters<NonNullable<RunnerHost['spans']>>[0]): void {
    this.#session?.spans(spans);
  }

  measurements(points: Parameters<NonNullable<RunnerHost['measurements']>>[0]): void {
    this.#session?.measurements(points);
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    clearTimeout(this.#retry);
    await this.#session?.leave();
    await this.#runner.close();
    this.#end();
  }

  flush(): void {
    this.#session?.flush();
  }

  catchStrayErrors(end: () => void): void {
    catchStrayErrors(this.#runner, end);
  }

  #renew(reports: readonly StepFileReport[]): void {
    this.reports = reports;
    this.#session?.register([...reports, ...this.#options.elsewhere], this.#options.whole);
  }

  /** The address and the token are looked up each time: another engine may have taken over meanwhile. */
  async #connect(): Promise<void> {
    try {
      const { url, token } = await findEngine({ cwd: this.#options.root, ...this.#options });
      if (this.#stopped) return;
      this.#session = new WorkerSession({
        url, token, hello: this.#options.hello, runner: this.#runner, loads: false,
        onWelcome: () => this.#welcome(url),
        onDrained: () => this.#again('the engine is stopping', 'absent'),
        onLost: (reason) => this.#lost(reason),
      });
    } catch (error) {
      if (!(error instanceof EngineAddressError)) throw error;
      this.#again(error.message, 'absent');
    }
  }

  #welcome(url: string): void {
    this.#backoff.reset();
    this.#session?.register([...this.reports, ...this.#options.elsewhere], this.#options.whole);
    this.#options.onStatus?.(`connected to ${url}`);
  }

  #lost({ code, message, refused }: ClosedReason): void {
    this.#session = undefined;
    if (FINAL.includes(code)) this.#end(message);
    else if (refused === undefined) this.#again(message, 'absent');
    else this.#again(`the engine refused this worker (${refused}): ${message}`, refused === STOPPING ? 'absent' : 'refused');
  }

  #again(reason: string, because: 'absent' | 'refused'): void {
    if (this.#stopped) return;
    this.#session = undefined;
    const delayMs = this.#backoff.next(because);
    this.#options.onStatus?.(`${reason}; next attempt in ${(delayMs / 1000).toFixed(1)} s`);
    this.#retry = setTimeout(() => void this.#connect(), delayMs);
  }
}

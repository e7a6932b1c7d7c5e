import { realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { StepFile, StepFileReport } from '@treadle/protocol';
import { contextStorage, contextTracking, type StepLogger } from 'treadle';
import type { BuiltModule } from '@treadle/protocol/build-lock';
import { type ExitGuard, guardExit } from './exit-guard.js';
import { HooksClient } from './loading/hooks-client.js';
import { LoadingFile } from './loading/loading-file.js';
import { noteMissingSecrets } from './loading/missing-secrets.js';
import { StepCatalog, type PrebuiltStep } from './loading/step-catalog.js';
import type { Caller, RunnerHost, RunnerLogEntry } from './runner-host.js';
import type { InvokeInput } from './running/invoke.js';
import { Run, type RunAnswer, type RunSurroundings } from './running/run.js';
import { RunList } from './running/run-list.js';
import type { RunnableStep } from './running/runnable-step.js';
import { type StrayOrigin, traceStrayError } from './running/stray-error.js';
import { Setups } from './setup/setups.js';
import { logCall } from './running/log-call.js';
import { flushMeasurements, joinOpenTelemetry } from './telemetry/open-telemetry.js';

export interface StepRunnerOptions {
  /** Absolute folder of the application. */
  readonly root: string;
  readonly mode: 'development' | 'production';
  readonly host: RunnerHost;
  /** Absolute path of esbuild's main file. Default: the application's own. */
  readonly esbuild?: string | undefined;
  /** Folder for transformed TypeScript. Default: none is kept. */
  readonly cacheDir?: string | undefined;
  /** Time that a file has to be imported in, in milliseconds. Default 10,000. */
  readonly importTimeoutMs?: number | undefined;
  /** Files of a build, by their source: these are imported in the place of the sources. */
  readonly built?: ReadonlyMap<string, BuiltModule> | undefined;
  /** False: files are loaded without module hooks, as Node itself understands them. Default true. */
  readonly hooks?: boolean | undefined;
  /**
   * The Steps run inside the engine: ending the process throws `HandlerExit`, and before Node 24 handlers enter the context's
   * storage only once code was loaded that can ask for it, for the storage makes every promise of the process slower.
   */
  readonly inProcess?: boolean | undefined;
  /** True: this process serves, so it opens setups and checks the environment. Default false: files are only registered. */
  readonly opens?: boolean | undefined;
  /** Values in the place of setups, by their names; they are neither opened nor closed. */
  readonly given?: Readonly<Record<string, unknown>> | undefined;
  /** Where the environment's variables are read. Default: the environment of the process. */
  readonly variables?: NodeJS.ProcessEnv | undefined;
  /** What is said of the files has changed since they were loaded. */
  readonly onReports?: ((reports: readonly StepFileReport[]) => void) | undefined;
}

/**
 * From Node 24 on the storage is no hook of every promise. Entered by every run inside the engine it costs a GET and a POST 2 to
 * 3 % of their processor time there and an order nothing; on Node 20 and 22 it costs 5 to 12 %, and an order up to 5 %.
 */
const KEEPS_CONTEXT_CHEAPLY = Number(process.versions.node.split('.')[0]) >= 24;
/** A process that takes longer to load its files is looked at by those who supervise it; milliseconds. */
const PATIENCE_MS = 2_500;

/** Loads Step files and runs their handlers. */
export class StepRunner {
  readonly #catalog: StepCatalog;
  readonly #runs = new RunList();
  readonly #storage = contextStorage();
  readonly #tracking = contextTracking();
  /** Inside the engine, where a handler is not known by its context. */
  readonly #guard: ExitGuard | undefined;
  readonly #around: RunSurroundings;
  readonly #setups: Setups;
  readonly #idle: (() => void)[] = [];
  readonly #root: string;
  readonly #onReports: StepRunnerOptions['onReports'];
  /** What was said last of the files, without what is open. */
  #reports: readonly StepFileReport[] = [];

  constructor(options: StepRunnerOptions) {
    const { host, inProcess, onReports, opens = false, given, variables, ...loading } = options;
    this.#onReports = onReports;
    this.#setups = new Setups({ opens, given, variables, patienceMs: inProcess ? undefined : PATIENCE_MS, loggerOf: (file) => fileLogger(host, file),
      runAs: (file, task) => (inProcess ? task() : LoadingFile.run(this.#catalog.pathOf(file), task)), onChange: () => this.#renewed() });
    this.#around = { host, open: () => this.#setups.current, declaredStreams: () => this.#catalog.declaredStreams(), over: (run) => this.#forget(run) };
    this.#root = realpathSync(options.root);
    if (opens && options.mode === 'development') noteMissingSecrets(this.#root);
    // Inside the engine the storage would cost every promise of the process.
    this.#catalog = new StepCatalog({ ...loading, root: this.#root, traced: inProcess !== true });
    this.#guard = inProcess ? guardExit() : undefined;
    // What a process of its own prints belongs to the handler that runs; and without hooks nobody sees what is loaded.
    if (!inProcess || KEEPS_CONTEXT_CHEAPLY || !HooksClient.supported) this.#tracking[0] = 1;
  }

  /** Starts what loading needs, e.g. while a connection is made. */
  warm(): Promise<void> {
    return this.#catalog.warm();
  }

  /**
   * Serves exactly these files and forgets all others; one report for each Step file of this language. A file whose
   * version and imports did not change keeps its instance; a broken new version leaves the last good one serving in
   * development. Never rejects for a broken file.
   */
  load(files: readonly StepFile[]): Promise<readonly StepFileReport[]> {
    joinOpenTelemetry(this.#folders(files), this.#around.host);
    return this.#opened(this.#catalog.load(files));
  }

  /** Serves exactly these Steps of a build, without reading any file. */
  adopt(steps: readonly PrebuiltStep[]): Promise<readonly StepFileReport[]> {
    this.#tracking[0] = 1; // nobody saw what they import
    joinOpenTelemetry([this.#root], this.#around.host);
    return this.#opened(this.#catalog.adopt(steps));
  }

  /**
   * Runs a handler in the name of `caller`; `done` is called exactly once, also after `cancel`. A streamed answer is still running then. Never
   * throws.
   */
  start(invoke: InvokeInput, caller: Caller, done: RunAnswer): void {
    const step = this.#catalog.step(invoke.step);
    const plan = step?.plans[invoke.trigger.index];
    if (!step || !plan || plan.type !== invoke.trigger.type) {
      done({ ok: false, code: 'no_worker', message: notServed(invoke, step) });
      return;
    }
    const held = this.#setups.isWhole ? undefined : this.#setups.reasonAgainst(this.#catalog.fileOf(invoke.step) ?? '');
    if (held !== undefined) {
      done({ ok: false, code: 'no_worker', message: held });
      return;
    }
    const run = new Run(this.#around, step, invoke, done);
    run.caller = caller;
    this.#runs.add(run);
    if (this.#guard) this.#guard.running++;
    if (this.#tracking[0] === 0) Run.begin(run);
    else this.#storage.run(run.context, Run.begin, run);
  }

  /** Aborts the handler's signal and ends a streamed answer. Unknown ids are ignored: they crossed their result. */
  cancel(id: number, reason: string): void {
    this.#runs.cancel(reason, id);
  }

  /** Aborts everything that runs, or what one session has asked for, e.g. because that is over. */
  cancelAll(reason: string, of?: Caller): void {
    this.#runs.cancelAll(reason, of);
  }

  /**
   * Charges an error that nobody caught to the handler or the file that made it: the handler fails with it, the file is
   * disabled when it was loaded a moment ago, and everything else goes on. False when it comes from the code that runs handlers,
   * and with `claim: 'own'` also when it is not known to be of this runner's application.
   */
  takeStray(error: unknown, origin: StrayOrigin, claim: 'own' | 'any' = 'any'): boolean {
    const { message, fields, run, file, isOurs } = traceStrayError(error, origin, this.#root);
    if (claim === 'own' && (run ? !run.isOf(this.#around) : file === undefined)) return false;
    if (run) {
      run.stray(error, message, fields);
      return true;
    }
    const at = file === undefined ? undefined : relative(this.#root, file).replaceAll('\\', '/');
    this.#around.host.log(undefined, { time: Date.now(), level: 'error', message, fields: { ...fields, ...(at !== undefined && { file: at }) } });
    const reports = file === undefined ? undefined : this.#catalog.disable(file, error, message);
    if (reports) this.#tell(reports);
    return !isOurs;
  }

  /** Whose code runs now: a handler's, or that of a file that was loaded a moment ago. */
  current(): { readonly file?: string; readonly step?: string } | undefined {
    const run = Run.current();
    if (run) return { step: run.step.step };
    const path = LoadingFile.current();
    const file = path === undefined ? undefined : this.#catalog.freshFile(path);
    return file === undefined ? undefined : { file };
  }

  /** Invocations that have not finished, streamed answers included. */
  get running(): number {
    return this.#runs.size;
  }

  /** Resolves when nothing runs. */
  async idle(): Promise<void> {
    if (this.#runs.size > 0) await new Promise<void>((resolve) => void this.#idle.push(resolve));
    flushMeasurements();
  }

  /** Closes what was opened for handlers; all of them must have ended. Never rejects. */
  close(): Promise<void> {
    return this.#setups.close();
  }

  /** What was loaded, once what it needs is open or cannot be. */
  async #opened(loading: Promise<readonly StepFileReport[]>): Promise<readonly StepFileReport[]> {
    this.#reports = await loading;
    await this.#setups.apply(this.#catalog.declarations());
    return this.#setups.annotate(this.#reports);
  }

  #renewed(): void {
    this.#tell(this.#reports);
  }

  #tell(reports: readonly StepFileReport[]): void {
    this.#reports = reports;
    this.#onReports?.(this.#setups.annotate(reports));
  }

  /** Where the Step files are; each may resolve packages of its own. */
  #folders(files: readonly StepFile[]): ReadonlySet<string> {
    return new Set([this.#root, ...files.map(({ file }) => dirname(join(this.#root, file)))]);
  }

  #forget(run: Run): void {
    if (this.#guard) this.#guard.running--;
    this.#runs.remove(run);
    run.open.leave();
    if (this.#runs.size > 0 || this.#idle.length === 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}

/** Writes in the name of a file that is no Step's. */
function fileLogger(host: RunnerHost, file: string): StepLogger {
  const write = (level: RunnerLogEntry['level']) => (first: unknown, second?: unknown): void => {
    const { message, fields } = logCall(first, second);
    host.log(undefined, { time: Date.now(), level, message, fields: { ...fields, file } });
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

function notServed({ step: name, trigger }: InvokeInput, step: RunnableStep | undefined): string {
  return step ? `Step "${name}" has no ${trigger.type} trigger at ${trigger.index} in this worker` : `this worker does not serve Step "${name}"`;
}

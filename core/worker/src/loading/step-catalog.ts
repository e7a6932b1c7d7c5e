import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { LoadedStep, StepFile, StepFileProblem, StepFileReport } from '@treadle/protocol';
import type { BuiltModule } from '@treadle/protocol/build-lock';
import { isNodeStep, roleOfFile } from '../discover.js';
import { isMiddlewareFile } from '../placement.js';
import { describeError } from '../running/failure.js';
import type { RunnableStep } from '../running/runnable-step.js';
import { configJson } from './config-json.js';
import { configLineOf } from './config-line.js';
import { ModuleLoader, type Imported } from './module-loader.js';
import type { RootSettings } from './hook-messages.js';
import { variableNames } from '../setup/env-file.js';
import type { SetupDefinition } from '../setup/setup-file.js';
import { type Declarations, declarationsOf, type DeclaredSchema } from '../setup/declarations.js';
import { declaredStream, findDeclared } from './declared.js';
import { forgetMissingSecrets, missingSecretOf } from './missing-secrets.js';
import { guardsOf } from './guard-facts.js';
import { behindMiddleware, type LoadedMiddleware, loadedMiddleware, missingMiddleware, refusing } from './placed-middleware.js';
import { isProblem } from './step-exports.js';

interface Entry {
  readonly version: string;
  readonly report: StepFileReport;
  /** What is served: of the last version that could be loaded. */
  readonly step: RunnableStep | undefined;
  /** In development: what was served before. */
  readonly before?: RunnableStep | undefined;
  /** Of a file of middleware: what holds, of the last version that could be loaded or in place of it. */
  readonly middleware?: LoadedMiddleware | undefined;
  /** Of a file of a setup, of the last version that could be loaded. */
  readonly setup?: SetupDefinition | undefined;
  /** Schema of a file of the environment, of the last version that could be loaded. */
  readonly env?: DeclaredSchema | undefined;
  /** When it was loaded; milliseconds of `performance.now()`. */
  readonly loadedAt: number;
}

/** What of a file is not told to the engine. */
type Kept = Pick<Entry, 'step' | 'middleware' | 'setup' | 'env'>;

/** What goes wrong in so many milliseconds after a file was loaded counts as if it had failed to load. */
const FRESH_MS = 10_000;

/** A Step of a build: its code is in memory already. */
export interface PrebuiltStep {
  /** The source that it was built from, relative to the root, with `/`. */
  readonly file: string;
  /** Content hash of the source. */
  readonly version?: string | undefined;
  /** What the module exports: `config` and `handler`, or a default export with both. */
  readonly exports: Readonly<Record<string, unknown>>;
  /** Line of the config in the source. */
  readonly line?: number | undefined;
}

export interface StepCatalogOptions extends RootSettings {
  readonly mode: 'development' | 'production';
  /** Files of a build, by their source: these are imported, and the sources need not be there. */
  readonly built?: ReadonlyMap<string, BuiltModule> | undefined;
}

/** Step files as they are loaded now. */
export class StepCatalog {
  readonly #options: StepCatalogOptions;
  readonly #loader: ModuleLoader;
  #entries = new Map<string, Entry>();
  #steps = new Map<string, RunnableStep>();
  /** The same behind their middleware. */
  #served = new Map<string, RunnableStep>();
  /** What was to be loaded last. */
  #files: readonly string[] = [];
  /** Stands for middleware that is not there. */
  #absent: readonly LoadedMiddleware[] = [];
  #last: Promise<unknown> = Promise.resolve();
  /** Modules that are being imported, and what they have left behind so far. */
  readonly #strays = new Map<string, StepFileProblem | undefined>();

  constructor(options: StepCatalogOptions) {
    this.#options = options;
    this.#loader = new ModuleLoader(options);
  }

  /** Starts what loading needs, while there is something else to wait for. */
  warm(): Promise<void> {
    return this.#loader.open();
  }

  step(name: string): RunnableStep | undefined {
    return this.#served.get(name);
  }

  /** The file that a Step comes from. */
  fileOf(name: string): string | undefined {
    const step = this.#steps.get(name);
    return [...this.#entries].find(([, entry]) => entry.step === step)?.[0];
  }

  /** What its files declare beside Steps, as far as they could be loaded. */
  declarations(): Declarations {
    return declarationsOf(this.#files, this.#entries);
  }

  /** Names of the streams that its files declare. */
  declaredStreams(): string[] {
    return [...this.#steps.keys()].flatMap((name) => declaredStream(name) ?? []);
  }

  /** Serves exactly these files; one call after the other. */
  load(files: readonly StepFile[]): Promise<readonly StepFileReport[]> {
    const turn = this.#last.then(() => this.#load(files.filter(({ file }) => isNodeStep(file))));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Serves exactly these Steps of a build. */
  async adopt(steps: readonly PrebuiltStep[]): Promise<readonly StepFileReport[]> {
    const entries = await Promise.all(steps.map(async ({ file, version = '', exports, line }) => {
      const described = await this.#describe(exports, file, line);
      const report = 'kind' in described ? { file, version, steps: [], problem: described } : { file, version, steps: [described.step] };
      const served = 'kind' in described ? { step: undefined } : described.kept;
      return [file, { version, report, ...served, loadedAt: performance.now() }] as const;
    }));
    this.#entries = new Map(entries);
    this.#files = steps.map(({ file }) => file);
    this.#serve();
    return entries.map(([, { report }]) => report);
  }

  /**
   * Nobody has caught an error that the file at this absolute path left behind when it was imported. A file that is fresh is
   * not served for that; returns the reports when that changes them.
   */
  disable(path: string, error: unknown, message: string): readonly StepFileReport[] | undefined {
    const problem: StepFileProblem = { kind: 'import', message: `${message}: ${describeError(error).message}` };
    if (this.#strays.has(path)) {
      this.#strays.set(path, this.#strays.get(path) ?? problem);
      return undefined;
    }
    const file = this.freshFile(path);
    const entry = file === undefined ? undefined : this.#entries.get(file);
    if (file === undefined || !entry || entry.report.problem) return undefined;
    this.#entries.set(file, spoiled(entry, problem));
    this.#serve();
    return [...this.#entries.values()].map(({ report }) => report);
  }

  /** The Step file that a module is loaded for, when that is being done or was done a moment ago. */
  freshFile(path: string): string | undefined {
    for (const [file, { loadedAt }] of this.#entries) {
      if (this.pathOf(file) === path) return performance.now() - loadedAt < FRESH_MS ? file : undefined;
    }
    return this.#strays.has(path) ? relative(this.#options.root, path).replaceAll('\\', '/') : undefined;
  }

  async #load(files: readonly StepFile[]): Promise<readonly StepFileReport[]> {
    const due = await this.#due(files);
    const imported = await this.#import(due.map(({ file }) => this.pathOf(file)));
    const fresh = new Map(await Promise.all(due.map(async (file) => {
      const result = imported.get(this.pathOf(file.file)) as Imported;
      return [file.file, await this.#entry(file, result)] as const;
    })));
    const loaded = new Map([...fresh].map(([file, entry]) => [file, this.#settle(file, entry)]));
    const entries = files.map(({ file }) => [file, loaded.get(file) ?? this.#entries.get(file)] as const);
    this.#entries = new Map(entries.filter((pair): pair is readonly [string, Entry] => pair[1] !== undefined));
    this.#files = files.map(({ file }) => file);
    this.#absent = await this.#missing(files);
    this.#serve();
    return [...this.#entries.values()].map(({ report }) => report);
  }

  /** Each name is served by one Step, behind the middleware of files that were loaded and in place of those that were not. */
  #serve(): void {
    this.#steps = byName(this.#entries, this.#steps);
    const placed = [...this.#absent, ...[...this.#entries.values()].flatMap(({ middleware }) => middleware ?? [])];
    this.#served = new Map([...this.#entries].flatMap(([file, { step }]) => (
      step && this.#steps.get(step.step) === step ? [[step.step, behindMiddleware(step, file, placed)] as const] : []
    )));
  }

  /** What stands for middleware that could not be loaded, or may not be. */
  #missing(files: readonly StepFile[]): Promise<readonly LoadedMiddleware[]> {
    const without = files.filter(({ file }) => isMiddlewareFile(file) && this.#entries.get(file)?.middleware === undefined);
    return Promise.all(without.map(async ({ file }) => missingMiddleware(file, await readFile(this.pathOf(file), 'utf8').catch(() => ''))));
  }

  async #import(modules: readonly string[]): Promise<ReadonlyMap<string, Imported>> {
    if (modules.length === 0) return new Map();
    for (const module of modules) this.#strays.set(module, undefined);
    const imported = await this.#loader.importAll(modules);
    // Node tells of a rejected promise at the end of the turn.
    await new Promise((resolve) => { setImmediate(resolve); });
    return imported;
  }

  /** The entry of a file that was just loaded, with what it has left behind meanwhile. */
  #settle(file: string, entry: Entry): Entry {
    const module = this.pathOf(file);
    const problem = this.#strays.get(module);
    this.#strays.delete(module);
    return problem && !entry.report.problem ? spoiled(entry, problem) : entry;
  }

  /** Files that are new, changed, import something that changed, or could not find an import. */
  async #due(files: readonly StepFile[]): Promise<readonly StepFile[]> {
    const changed = new Set<string>();
    const free = files.filter(({ held }) => !held);
    for (const { file, version } of free) {
      const entry = this.#entries.get(file);
      if (entry && (entry.version !== version || entry.report.problem?.kind === 'import')) {
        for (const path of this.#own(file)) changed.add(path);
      }
      // It was here before, and was removed meanwhile.
      if (!entry && this.#loader.hasLoaded(this.pathOf(file))) changed.add(this.pathOf(file));
    }
    const known = free.filter(({ file }) => this.#entries.has(file)).map(({ file }) => this.pathOf(file));
    const stale = known.length > 0 || changed.size > 0 ? await this.#loader.renew(changed, [...known, ...changed]) : changed;
    forgetMissingSecrets(stale, this.#options.root);
    return free.filter(({ file }) => !this.#entries.has(file) || stale.has(this.pathOf(file)));
  }

  /** A file and, when it failed, the modules that only it imports: one of them may have been the one that failed. */
  #own(file: string): readonly string[] {
    const path = this.pathOf(file);
    if (!this.#entries.get(file)?.report.problem) return [path];
    const inUse = new Set<string>();
    for (const [other, entry] of this.#entries) {
      if (other !== file && !entry.report.problem) for (const each of this.#loader.imports(this.pathOf(other))) inUse.add(each);
    }
    return [path, ...this.#loader.imports(path).filter((each) => !inUse.has(each))];
  }

  async #entry(file: StepFile, imported: Imported): Promise<Entry> {
    const loaded = imported.exports ? await this.#describe(imported.exports, file.file, await this.#line(file.file)) : imported.problem;
    const previous = this.#entries.get(file.file);
    const found = this.#loader.imports(this.pathOf(file.file)).map((each) => relative(this.#options.root, each).replaceAll('\\', '/'));
    const development = this.#options.mode === 'development';
    if ('kind' in loaded) {
      // What the last version imported is watched on: the error may well be mended there.
      const imports = [...new Set([...found, ...(previous?.report.imports ?? [])])];
      const report = { ...file, steps: [], problem: loaded, ...(development ? { imports } : {}) };
      const { step, middleware, setup, env }: Kept = (development ? previous : undefined) ?? { step: undefined };
      return { version: file.version, report, step, middleware, setup, env, loadedAt: performance.now() };
    }
    const lacking = await missingSecretOf(this.pathOf(file.file), this.#loader.imports(this.pathOf(file.file)), this.#options.root);
    const report = { ...file, steps: [loaded.step], ...(development ? { imports: found } : {}), ...lacking && { problem: lacking } };
    const kept = lacking ? refusing(loaded.kept, file.file, lacking) : loaded.kept;
    return { version: file.version, report, ...kept, before: development ? previous?.step : undefined, loadedAt: performance.now() };
  }

  async #describe(
    exports: Readonly<Record<string, unknown>>, file: string, line: number | undefined,
  ): Promise<{ step: LoadedStep; kept: Kept } | StepFileProblem> {
    const role = roleOfFile(file);
    const found = findDeclared(role, exports);
    const at = line === undefined ? {} : { line };
    if (isProblem(found)) return { ...found, ...at };
    try {
      const config = await configJson(found.config, this.#path(file));
      const kept: Kept = {
        step: found.runnable, middleware: found.middleware && loadedMiddleware(file, found.middleware), setup: found.setup,
        env: role === 'env' ? { schema: found.config['schema'], names: variableNames(config) } : undefined,
      };
      return { step: { config, ...at, ...(role === 'step' ? {} : { role }), ...found.idle === true && { idle: true }, ...guardsOf(found) }, kept };
    } catch (error) {
      return { kind: 'schema', message: describeError(error).message, ...at };
    }
  }

  #path(file: string): string {
    return join(this.#options.root, file);
  }

  /** Absolute path of what is imported: the file itself, or what a build made of it. */
  pathOf(file: string): string {
    return this.#options.built?.get(file)?.path ?? this.#path(file);
  }

  async #line(file: string): Promise<number | undefined> {
    const built = this.#options.built?.get(file);
    return built ? built.line : configLineOf(this.#path(file));
  }
}

function spoiled(entry: Entry, problem: StepFileProblem): Entry {
  return { ...entry, step: entry.before, report: { ...entry.report, steps: [], problem } };
}

/** Of files that declare the same name the one that already serves it goes on, else the first by path. */
function byName(entries: ReadonlyMap<string, Entry>, before: ReadonlyMap<string, RunnableStep>): Map<string, RunnableStep> {
  const steps = new Map<string, RunnableStep>();
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [, { step }] of sorted) {
    if (step && (!steps.has(step.step) || before.get(step.step) === step)) steps.set(step.step, step);
  }
  return steps;
}

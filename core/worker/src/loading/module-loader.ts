import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { StepFileProblem } from '@treadle/protocol';
import { contextTracking } from 'treadle';
import { contentHash } from '../content-hash.js';
import { requiresReaders } from './context-readers.js';
import { HooksClient } from './hooks-client.js';
import type { RootSettings } from './hook-messages.js';
import { importProblem } from './import-problem.js';
import { listenToRequire } from './required-files.js';
import { LoadingFile } from './loading-file.js';
import { ModuleGraph } from './module-graph.js';

const IMPORT_TIMEOUT_MS = 10_000;

/** The exports of a file, or why there are none. */
export type Imported =
  | { readonly exports: Readonly<Record<string, unknown>>; readonly problem?: undefined }
  | { readonly problem: StepFileProblem; readonly exports?: undefined };

const TIMEOUT = Symbol('timeout');
/** What several runners of one process load, they load once. */
const graph = new ModuleGraph();
const { cache: required } = createRequire(import.meta.url);

/** Imports the files of one application; a local module that did not change keeps its instance. Paths are absolute. */
export class ModuleLoader {
  readonly #settings: RootSettings;
  #hooks: HooksClient | undefined;
  #opened: Promise<void> | undefined;

  constructor(settings: RootSettings) {
    this.#settings = settings;
  }

  /** Starts what loading needs; called early it overlaps with other work. */
  open(): Promise<void> {
    return (this.#opened ??= this.#open());
  }

  async importAll(files: readonly string[]): Promise<ReadonlyMap<string, Imported>> {
    await this.open();
    const outcomes = await Promise.all(files.map((file) => this.#import(file)));
    await this.#learn(files);
    const imported = new Map<string, Imported>();
    for (const [index, file] of files.entries()) imported.set(file, await this.#toImported(file, outcomes[index]));
    return imported;
  }

  /** Local files that a file imports, directly or not, itself excluded. */
  imports(file: string): readonly string[] {
    return [...graph.closure(file, this.#url)].slice(1);
  }

  /**
   * Renews `changed`, every file that was loaded at some time and has changed on disk since, and whatever of the applications'
   * `steps` and their imports imports one of them; resolves to all of these. What handlers imported while they ran counts, too.
   */
  async renew(changed: ReadonlySet<string>, steps: readonly string[]): Promise<ReadonlySet<string>> {
    await this.open();
    await this.#learn(steps);
    const known = new Set(steps.flatMap((step) => [...graph.closure(step, this.#url)]));
    const onDisk = await this.#changedOnDisk([...graph.loaded].filter((file) => !steps.includes(file)));
    const stale = graph.importers(new Set([...changed, ...onDisk]), known, this.#url);
    if (stale.size > 0) await this.#hooks?.renew(stale);
    for (const file of stale) {
      delete required[file];
      graph.forget(file);
    }
    return stale;
  }

  /** True for a file that was loaded at some time: without a renewal it would be the same instance. */
  hasLoaded(file: string): boolean {
    return graph.hash(file) !== undefined;
  }

  async #open(): Promise<void> {
    process.setSourceMapsEnabled(true);
    this.#hooks = this.#settings.hooks === false ? undefined : HooksClient.open();
    await this.#hooks?.addRoot(this.#settings);
    // Files of a build are loaded once.
    if (this.#hooks) listenToRequire((file) => { if (!file.includes('/node_modules/')) graph.note(file, hashOf(file)); });
  }

  get #timeoutMs(): number {
    return this.#settings.importTimeoutMs ?? IMPORT_TIMEOUT_MS;
  }

  readonly #url = (file: string): string => pathToFileURL(file).href + (this.#hooks?.query(file) ?? '');

  async #import(file: string): Promise<unknown> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise((resolve) => {
      timer = setTimeout(() => resolve(TIMEOUT), this.#timeoutMs);
    });
    try {
      if (!this.#hooks && ['.ts', '.mts'].includes(extname(file))) throw new Error(needsHooks());
      return await Promise.race([this.#evaluate(file), timeout]);
    } catch (error) {
      return { [TIMEOUT]: error };
    } finally {
      clearTimeout(timer);
    }
  }

  #evaluate(file: string): Promise<unknown> {
    const begin = (): Promise<unknown> => import(this.#url(file)) as Promise<unknown>;
    return this.#settings.traced === true ? LoadingFile.run(file, begin) : begin();
  }

  async #toImported(file: string, outcome: unknown): Promise<Imported> {
    if (outcome === TIMEOUT) {
      return { problem: { kind: 'timeout', message: `the file did not finish loading in ${this.#timeoutMs / 1000} s (top-level await?)` } };
    }
    const failed = outcome as Record<typeof TIMEOUT, unknown>;
    if (!(TIMEOUT in (outcome as object))) return { exports: outcome as Readonly<Record<string, unknown>> };
    const known = graph.problem(file, this.#url);
    const files = [...graph.closure(file, this.#url)];
    return { problem: await importProblem({ root: this.#settings.root, file, files, error: failed[TIMEOUT], known, hooks: this.#hooks }) };
  }

  /** Takes over what the hooks saw, and what CommonJS modules required without them. */
  async #learn(files: readonly string[]): Promise<void> {
    if (this.#hooks) graph.merge(await this.#hooks.report());
    for (const file of files.flatMap((step) => [...graph.closure(step, this.#url)])) this.#learnRequired(file);
    const tracking = contextTracking();
    if (tracking[0] === 0 && requiresReaders(required)) tracking[0] = 1;
  }

  #learnRequired(file: string): void {
    for (const child of required[file]?.children ?? []) {
      // One that a test runner or a mock put there need not come from a file.
      if (typeof child.filename !== 'string' || child.filename.includes('/node_modules/') || !child.filename.startsWith(`${this.#settings.root}/`)) continue;
      graph.add(this.#url(file), child.filename);
      graph.note(child.filename, hashOf(child.filename));
      this.#learnRequired(child.filename);
    }
  }

  async #changedOnDisk(files: readonly string[]): Promise<string[]> {
    const changed = await Promise.all(files.map(async (file) => {
      const content = await readFile(file).catch(() => undefined); // removed: whoever imports it must notice
      return content === undefined || contentHash(content) !== graph.hash(file);
    }));
    return files.filter((_file, index) => changed[index]);
  }
}

/** Of a file that is gone: one that no file has. */
function hashOf(file: string): string {
  try {
    return contentHash(readFileSync(file));
  } catch {
    return 'gone';
  }
}

const needsHooks = (): string =>
  `TypeScript is loaded by Node 18.19 or later; this is ${process.version}. Run the built JavaScript, or a newer Node`;

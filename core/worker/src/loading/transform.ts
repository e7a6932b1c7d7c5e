import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { contentHash } from '../content-hash.js';
import type { HookProblem, RootSettings } from './hook-messages.js';

/** To be raised when the output for the same input changes. */
const CACHE_FORMAT = 2;
/** esbuild keeps a process; it is let go when nothing was transformed for this long, in milliseconds. */
const IDLE_MS = 10_000;

interface EsbuildMessage {
  readonly text: string;
  readonly location: { readonly line: number; readonly column: number } | null;
}
interface Esbuild {
  transform(source: string, options: Readonly<Record<string, unknown>>): Promise<{ code: string }>;
  stop?: () => void | Promise<void>;
}

/** A source that cannot be transformed. */
export class TransformError extends Error {
  declare readonly problem: HookProblem;
  constructor(problem: HookProblem) {
    super(problem.message);
    const { kind, file, line, column, message } = problem;
    this.name = kind === 'syntax' ? 'SyntaxError' : 'Error';
    // Whoever prints it, a program that runs tests for instance, shows where the fault is, not where it was found.
    this.stack = `${this.name}: ${message}\n    at ${[file, line, column].filter((part) => part !== undefined).join(':')}`;
    Object.defineProperty(this, 'problem', { value: problem, enumerable: false });
  }
}

/** Turns the TypeScript of one application into JavaScript that Node runs, each content once. */
export class Transformer {
  readonly #settings: RootSettings;
  readonly #tsconfig: string | undefined;
  #esbuild: Esbuild | undefined;
  #idle: NodeJS.Timeout | undefined;
  #cacheReady = false;

  constructor(settings: RootSettings, tsconfig: string | undefined) {
    this.#settings = settings;
    this.#tsconfig = tsconfig;
  }

  /** @throws TransformError */
  async transform(file: string, source: string): Promise<string> {
    const cached = this.#cacheFile(file, source);
    const known = cached === undefined ? undefined : readOptional(cached);
    if (known !== undefined) return known;
    const code = await this.#run(file, source, 'ts');
    if (cached !== undefined) this.#keep(cached, code);
    return code;
  }

  /** The syntax error of a JavaScript file, when there is one and esbuild is there to find it. */
  async findSyntaxError(file: string): Promise<HookProblem | undefined> {
    try {
      await this.#run(file, readFileSync(file, 'utf8'), 'js');
      return undefined;
    } catch (error) {
      return error instanceof TransformError && error.problem.kind === 'syntax' ? error.problem : undefined;
    }
  }

  async #run(file: string, source: string, loader: 'ts' | 'js'): Promise<string> {
    const esbuild = (this.#esbuild ??= this.#load(file));
    clearTimeout(this.#idle);
    try {
      const { code } = await esbuild.transform(source, {
        loader, format: 'esm', target: `node${process.versions.node}`, sourcefile: file, logLevel: 'silent',
        sourcemap: 'inline', sourcesContent: false, ...(this.#tsconfig === undefined ? {} : { tsconfigRaw: this.#tsconfig }),
      });
      return code;
    } catch (error) {
      throw syntaxError(file, error);
    } finally {
      clearTimeout(this.#idle);
      this.#idle = setTimeout(() => void esbuild.stop?.(), IDLE_MS);
      this.#idle.unref();
    }
  }

  #load(file: string): Esbuild {
    const { root, esbuild } = this.#settings;
    try {
      const require = createRequire(join(root, 'package.json'));
      return require(esbuild ?? 'esbuild') as Esbuild;
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      const reason = code === 'MODULE_NOT_FOUND' ? 'it is not installed' : message.split('\n', 1)[0];
      throw new TransformError({
        kind: 'import', file, message: `TypeScript needs esbuild, but ${reason}; run "npm install --save-dev esbuild" in ${root}`,
      });
    }
  }

  #cacheFile(file: string, source: string): string | undefined {
    const { cacheDir } = this.#settings;
    if (cacheDir === undefined) return undefined;
    const key = [CACHE_FORMAT, process.versions.node, this.#tsconfig ?? '', file, source].join('\0');
    return join(cacheDir, `${contentHash(key)}.mjs`);
  }

  /** The cache only saves time: when it cannot be written, the next start is slower and nothing else. */
  #keep(cached: string, code: string): void {
    try {
      if (!this.#cacheReady) mkdirSync(this.#settings.cacheDir ?? '', { recursive: true, mode: 0o700 });
      this.#cacheReady = true;
      const temporary = `${cached}.${process.pid}`;
      writeFileSync(temporary, code);
      renameSync(temporary, cached);
    } catch {
      this.#cacheReady = false; // perhaps the folder was removed meanwhile; tried again with the next file
    }
  }
}

function syntaxError(file: string, error: unknown): TransformError {
  const first = (error as { errors?: readonly EsbuildMessage[] }).errors?.[0];
  const message = first?.text ?? (error instanceof Error ? error.message : String(error));
  const { line, column } = first?.location ?? {};
  return new TransformError({ kind: 'syntax', file, message, line, column: column === undefined ? undefined : column + 1 });
}

function readOptional(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // absent is the usual case; anything else means the same: work without it
  }
}

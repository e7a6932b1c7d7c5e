import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { StepFile, StepFileReport } from './messages.js';

/** Folder of a build, relative to the application's root. */
export const DIST_FOLDER = 'dist';
/** Name of the file in which a build writes down what it consists of. */
export const LOCK_FILE_NAME = 'treadle.lock.json';
/** Its `format`: raised when a lock file of the old form cannot be read as one of the new. */
export const LOCK_FORMAT = 1;

/** The language of a file of a build. */
export type BuildRuntime = 'node' | 'python';

/** The program that serves the files of a language, relative to the folder of the build. */
export const BUILD_PROGRAMS: Readonly<Record<BuildRuntime, string>> = { node: 'index-production.js', python: 'index_production.py' };

/** One file of a build: a Step or a declaration of streams. */
export interface BuiltFile {
  /** Name of the Step or stream; absent for the authentication of streams. */
  readonly name?: string | undefined;
  /** The source, relative to the root, with `/`. */
  readonly file: string;
  /** Line of the config in the source, from 1. */
  readonly line?: number | undefined;
  /** Absent: a Step. */
  readonly role?: 'stream' | 'stream-auth' | 'middleware' | 'setup' | 'env' | undefined;
  /** Hash of the source's content, its version on the worker channel. */
  readonly hash: string;
  readonly runtime: BuildRuntime;
  /** What was made of it, relative to the folder of the build, with `/`. */
  readonly module: string;
  /** The config as it was built, schemas as JSON Schema. */
  readonly config: unknown;
}

/** What a build consists of; the part of `dist/treadle.lock.json` that running it needs. */
export interface BuildLock {
  /** Name of the application. */
  readonly name: string;
  /** Content hash of the build. */
  readonly build: string;
  readonly steps: readonly BuiltFile[];
  readonly streams: readonly BuiltFile[];
  /** Hashes of all sources that went in, by their path relative to the root. */
  readonly sources: Readonly<Record<string, string>>;
}

/** Which build an application has. */
export type LockFile = Pick<BuildLock, 'name'> & Partial<Pick<BuildLock, 'build'>>;

/** A compiled file: what is imported in the place of the source. */
export interface BuiltModule {
  /** Absolute. */
  readonly path: string;
  /** Line of the config in the source, from 1. */
  readonly line?: number | undefined;
}

/** A build that cannot be run; the message says why. */
export class BuildLockError extends Error {}

/**
 * Reads the lock file of a build; undefined when there is none. `dist` is absolute.
 * @throws BuildLockError when it cannot be read, or is not one that this version understands
 */
export function readBuildLock(dist: string): BuildLock | undefined {
  const text = textOf(join(dist, LOCK_FILE_NAME));
  if (text === undefined) return undefined;
  const lock = parsed(text);
  if (lock['format'] !== LOCK_FORMAT) throw new BuildLockError(`it has format ${String(lock['format'])}, not ${LOCK_FORMAT}`);
  const { name, build, steps, streams, sources } = lock;
  if (![name, build].every(isText) || ![steps, streams].every(areFiles) || typeof sources !== 'object' || sources === null) {
    throw new BuildLockError('it does not say what the build consists of');
  }
  return lock as unknown as BuildLock;
}

/** Which build an application has by the file in its `dist`, else the one at its root; one without a name is none. Undefined where neither can be read. */
export function readLockFile(root: string): LockFile | undefined {
  return lockFileIn(join(root, DIST_FOLDER)) ?? lockFileIn(root);
}

/** Name of an application: what its lock file says, else its folder's name. */
export function applicationName(root: string, lock: Partial<LockFile> | undefined = readLockFile(root)): string {
  return lock?.name ?? (basename(root) || 'application');
}

/** Steps and declarations of streams of a build, or those of one language. */
export function builtFiles({ steps, streams }: BuildLock, runtime?: BuildRuntime): readonly BuiltFile[] {
  return [...steps, ...streams].filter((file) => runtime === undefined || file.runtime === runtime);
}

/** The files of a build as the engine asks for them, sorted by path. */
export function stepFilesOf(files: readonly BuiltFile[]): readonly StepFile[] {
  return files.map(({ file, hash }) => ({ file, version: hash })).sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** What stands for the sources in TypeScript and JavaScript, by their path relative to the root. `dist` is absolute. */
export function builtModules(dist: string, lock: BuildLock): ReadonlyMap<string, BuiltModule> {
  return new Map(builtFiles(lock, 'node').map(({ file, module, line }) => [file, { path: join(dist, module), line }]));
}

/** What a process of one language says of the files that the other language's process serves. */
export function reportsElsewhere(lock: BuildLock, runtime: BuildRuntime): readonly StepFileReport[] {
  return builtFiles(lock).filter((file) => file.runtime !== runtime).map(({ file, hash, config, line, role }) => ({
    file, version: hash, elsewhere: true,
    steps: [{ config, ...(line === undefined ? {} : { line }), ...(role === undefined ? {} : { role }) }],
  }));
}

/** The application's root, as its build sees it: the folder above. */
export function rootOfBuild(dist: string): string {
  return dirname(dist);
}

function lockFileIn(folder: string): LockFile | undefined {
  try {
    const { name, build } = parsed(textOf(join(folder, LOCK_FILE_NAME)) ?? '{}');
    return isText(name) ? { name, ...(isText(build) ? { build } : {}) } : undefined;
  } catch {
    return undefined; // one that is broken says nothing that could be relied on
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new BuildLockError(message);
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const lock: unknown = JSON.parse(text);
    if (typeof lock === 'object' && lock !== null) return lock as Record<string, unknown>;
  } catch {
    // Said below, as for anything else that is no object.
  }
  throw new BuildLockError('it is not a JSON object');
}

function areFiles(value: unknown): boolean {
  return Array.isArray(value) && value.every((file) => {
    const { file: source, hash, runtime, module } = (file ?? {}) as Partial<BuiltFile>;
    return [source, hash, module].every(isText) && (runtime === 'node' || runtime === 'python');
  });
}

import { pathToFileURL, fileURLToPath } from 'node:url';
import { treadleError, type SourceLocation, type TreadleError } from '@treadle/api';
import { realPath, shownPath } from './lookup.js';

/** What is imported, and how errors speak of it. */
export interface ImportRequest {
  readonly name: string;
  readonly version: string;
  /** Absolute. */
  readonly entry: string;
  /** The config file's folder: paths are shown relative to it. */
  readonly folder: string;
  readonly timeoutMs: number;
  readonly at: SourceLocation;
}

/** The module's exports, or PLUGIN_DEPENDENCY_MISSING, PLUGIN_LOAD_FAILED, PLUGIN_TIMEOUT. */
export async function importPlugin(request: ImportRequest): Promise<{ exports: unknown } | TreadleError> {
  let timer: NodeJS.Timeout | undefined;
  // This timer keeps the process alive: with nothing else to do, Node would end at an endless top-level await.
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), request.timeoutMs);
  });
  try {
    const loading = import(pathToFileURL(request.entry).href) as Promise<unknown>;
    const first = await Promise.race([loading.then((exports) => ({ exports })), late]);
    if (first !== 'late') return first;
    loading.catch(() => undefined); // Too late to be told: the timeout has been reported.
    const { name, version, timeoutMs, at } = request;
    return treadleError('PLUGIN_TIMEOUT', { name, version, seconds: timeoutMs / 1000 }, { at });
  } catch (error) {
    return loadFailure(error, request);
  } finally {
    clearTimeout(timer);
  }
}

function loadFailure(error: unknown, request: ImportRequest): TreadleError {
  const { name, version, at } = request;
  const missing = missingModule(error);
  if (missing) {
    const importer = missing.importer ? shown(missing.importer, request) : shown(request.entry, request);
    const dependency = missing.dependency.startsWith('/') ? shown(missing.dependency, request) : missing.dependency;
    return treadleError('PLUGIN_DEPENDENCY_MISSING', { name, version, dependency, importer }, { at, cause: error });
  }
  const reason = error instanceof Error ? `${error.name}: ${error.message.split('\n')[0]}` : `the value ${describeThrown(error)}`;
  return treadleError('PLUGIN_LOAD_FAILED', { name, version, reason, place: placeOf(error, request) }, { at, cause: error });
}

const ESM_MISSING = /^Cannot find (?:package|module) '([^']+)' imported from (.+?)$/m;
const CJS_MISSING = /^Cannot find module '([^']+)'/;

/** Which module was not found by whom, when that is what the error says. */
function missingModule(error: unknown): { dependency: string; importer: string | undefined } | undefined {
  const { code, message = '', requireStack } = (error ?? {}) as { code?: string; message?: string; requireStack?: string[] };
  if (code === 'ERR_MODULE_NOT_FOUND') {
    const [, dependency, importer] = ESM_MISSING.exec(message) ?? [];
    return dependency ? { dependency, importer } : undefined;
  }
  if (code !== 'MODULE_NOT_FOUND') return undefined;
  const dependency = CJS_MISSING.exec(message)?.[1];
  return dependency ? { dependency, importer: requireStack?.[0] } : undefined;
}

/** A place in a stack: `file:///a/b.js:12:3` or, for CommonJS, `/a/b.js:12:3`; a syntax error's stack begins with it. */
const PLACE = /(file:\/\/[^\s)]+?|\/[^\s():]+?\.[cm]?[jt]s):(\d+)(?::\d+)?\b/;

function placeOf(error: unknown, request: ImportRequest): string {
  const stack = error instanceof Error ? error.stack ?? '' : '';
  const [, file, line] = PLACE.exec(stack) ?? [];
  return file ? `${shown(file, request)}:${line}` : shown(request.entry, request);
}

function shown(file: string, request: ImportRequest): string {
  const path = file.startsWith('file:') ? fileURLToPath(file.replace(/\?.*$/, '')) : file;
  const inside = shownPath(path, request.folder);
  if (inside !== path) return inside;
  // The config's folder may be reached by a link; Node speaks of real paths.
  return shownPath(path, realPath(request.folder));
}

function describeThrown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

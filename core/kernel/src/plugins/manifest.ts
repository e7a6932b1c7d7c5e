import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { treadleError, type SourceLocation, type TreadleError } from '@treadle/api';
import { validRange } from '../semver.js';

/** What a plugin says of itself in its package.json, read before any of its code runs. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  /** Range of `@treadle/api`. */
  readonly api: string;
  /** Absolute. */
  readonly entry: string;
  /** Class ids. */
  readonly provides: readonly string[];
  /** Range of Node versions. */
  readonly node: string | undefined;
  /** Absolute path of the file that declares views of the console. */
  readonly console: string | undefined;
}

/** The package.json of a folder, or what is wrong with it. */
export function readManifest(folder: string, written: string, at: SourceLocation): Manifest | TreadleError {
  const file = join(folder, 'package.json');
  const plain = { name: written, version: '(no version)' };
  if (!existsSync(file)) return treadleError('PLUGIN_NOT_FOUND', { name: written, path: file }, { at });
  const json = parse(file);
  if (json instanceof SyntaxError) {
    return treadleError('PLUGIN_BAD_MANIFEST', { ...plain, problem: `is not valid JSON: ${json.message}` }, { at, cause: json });
  }
  const own = { name: textOf(json['name']) ?? written, version: textOf(json['version']) ?? plain.version };
  const section = recordOf(json['treadle']);
  if (!section) return treadleError('PLUGIN_NOT_A_PLUGIN', own, { at });
  const problem = problemOf(json, section, folder);
  if (problem) return treadleError('PLUGIN_BAD_MANIFEST', { ...own, problem }, { at });
  return {
    ...own, api: section['api'] as string, entry: resolve(folder, section['entry'] as string),
    provides: section['provides'] as string[], node: textOf(recordOf(json['engines'])?.['node']),
    console: section['console'] === undefined ? undefined : resolve(folder, section['console'] as string),
  };
}

function problemOf(json: JsonObject, section: JsonObject, folder: string): string | undefined {
  if (!textOf(json['version'])) return 'has no "version"';
  if (!validRange(section['api'])) return 'has no range of versions in "treadle.api", e.g. "^1.0.0"';
  const { provides } = section;
  if (!Array.isArray(provides) || provides.some((id) => typeof id !== 'string')) {
    return 'has no list of class IDs in "treadle.provides"';
  }
  const entry = textOf(section['entry']);
  if (!entry) return 'names no file in "treadle.entry", e.g. "./dist/index.js"';
  return fileProblem('entry', entry, folder) ?? consoleProblem(section['console'], folder);
}

function consoleProblem(file: unknown, folder: string): string | undefined {
  if (file === undefined) return undefined;
  const written = textOf(file);
  return written ? fileProblem('console', written, folder) : 'names no file in "treadle.console", e.g. "./dist/console.json"';
}

function fileProblem(key: string, written: string, folder: string): string | undefined {
  const path = relative(folder, resolve(folder, written));
  const article = key === 'entry' ? 'an entry' : `a file in "treadle.${key}"`;
  if (path.startsWith(`..${sep}`) || path === '..') return `names ${article} outside of the package: "${written}"`;
  if (!existsSync(resolve(folder, written))) return `names the ${key === 'entry' ? 'entry' : `file of "treadle.${key}"`} "${written}", which does not exist`;
  return undefined;
}

type JsonObject = Readonly<Record<string, unknown>>;

function parse(file: string): JsonObject | SyntaxError {
  try {
    const json: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return recordOf(json) ?? new SyntaxError('it is no object');
  } catch (error) {
    return error instanceof SyntaxError ? error : new SyntaxError((error as Error).message);
  }
}

function recordOf(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value as JsonObject : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

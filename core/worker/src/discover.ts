import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dirent } from 'node:fs';
import type { StepFile } from '@treadle/protocol';
import { contentHash } from './content-hash.js';

/** Folders below the root in which Step files are looked for. */
export const STEP_FOLDERS: readonly string[] = ['steps', 'src'];
const SKIPPED = new Set(['node_modules', 'dist']);
/** Setups of test runners, e.g. `src/vitest.setup.ts`, and tests of Python, e.g. `test_setup.py`: they have such names and are none of ours. */
const OF_TESTS = /(?:^|\/)(?:(?:jest|vitest|mocha|cypress|playwright|global|tests?)\.(?:setup|env)\.\w+|test_(?:setup|env)\.py)$/;
const NODE_FILE = /\.(?:(?:step|setup|env)\.(?:ts|mts|js|mjs|cjs)|(?:stream|stream-auth|middleware)\.(?:ts|js))$/;
const PYTHON_FILE = /_(?:step|stream|stream_auth|middleware|setup|env)\.py$/;
/** Files read at once: enough to keep the disk busy, few enough for any limit on open files. */
const READ_AT_ONCE = 32;

/**
 * What a file declares: a Step, a stream, how clients of streams are authenticated, middleware for the Steps around it, something that a
 * process opens once, or the environment variables that the application needs.
 */
export type FileRole = 'step' | 'stream' | 'stream-auth' | 'middleware' | 'setup' | 'env';

/** True for the files that a Node.js worker serves: Steps and declarations. */
export function isNodeStep(file: string): boolean {
  return NODE_FILE.test(file) && !OF_TESTS.test(file);
}

/** True for the files that a Python worker serves: Steps and declarations. */
export function isPythonStep(file: string): boolean {
  return PYTHON_FILE.test(file) && !OF_TESTS.test(file);
}

/** True for a folder in which Step files are looked for, when the one that it is in is. */
export function isSearched(folder: string): boolean {
  return !SKIPPED.has(folder) && !folder.startsWith('.');
}

/** The role of a discovered file, in any language; it is in its name. */
export function roleOfFile(file: string): FileRole {
  const [, script, python] = /(?:\.(stream|stream-auth|middleware|setup|env)\.\w+|_(stream|stream_auth|middleware|setup|env)\.py)$/.exec(file) ?? [];
  return ((script ?? python)?.replace('_', '-') ?? 'step') as FileRole;
}

/** True for a file without which the Steps that it holds for must not run: of middleware, of a setup, of the environment. */
export function isRequired(file: string): boolean {
  return ['middleware', 'setup', 'env'].includes(roleOfFile(file));
}

/**
 * Finds the Step files of an application in `steps` and `src`, sorted by path. `version` is a hash of the content.
 * `node_modules`, `dist` and folders that begin with a dot are left out; links to folders are not followed.
 */
export async function discoverStepFiles(root: string): Promise<readonly StepFile[]> {
  const found = (await entriesOfApplication(root)).filter(({ entry }) => isStepFile(entry.name)).map(({ path }) => path).sort();
  const files: StepFile[] = [];
  for (let from = 0; from < found.length; from += READ_AT_ONCE) {
    const part = found.slice(from, from + READ_AT_ONCE);
    const read = await Promise.all(part.map((file) => versioned(root, file)));
    files.push(...read.filter((file): file is StepFile => file !== undefined));
  }
  return files;
}

/** True for the name of a file that a runtime may serve: of a Step, or of a declaration. */
export function isStepFile(name: string): boolean {
  return (isNodeStep(name) || isPythonStep(name)) && !name.startsWith('.');
}

/** Something in a folder that is searched, no folder itself. */
export interface ApplicationEntry {
  /** Relative to the root, with slashes. */
  readonly path: string;
  readonly entry: Dirent;
}

/** All that lies in the folders in which Step files are looked for. */
export async function entriesOfApplication(root: string): Promise<readonly ApplicationEntry[]> {
  const found: ApplicationEntry[] = [];
  for (const folder of STEP_FOLDERS) await walk(root, folder, found);
  return found;
}

async function walk(root: string, folder: string, found: ApplicationEntry[]): Promise<void> {
  for (const entry of await entriesOf(join(root, folder))) {
    const path = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) found.push({ path, entry });
    else if (isSearched(entry.name)) await walk(root, path, found);
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return []; // neither folder has to exist; one may vanish meanwhile
    throw error;
  }
}

async function versioned(root: string, file: string): Promise<StepFile | undefined> {
  try {
    return { file, version: contentHash(await readFile(join(root, file))) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // removed between listing and reading
    throw error;
  }
}

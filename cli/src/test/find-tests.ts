import { readdir, readFile } from 'node:fs/promises';
import { treadleError } from '@treadle/api';
import { missingApplication } from '../application/presence.js';

/** Test files, relative to the application's root, sorted. */
export interface TestFiles {
  readonly node: readonly string[];
  readonly python: readonly string[];
  /** Folders that could not be read, with why. */
  readonly unread: readonly string[];
}

const NODE_TEST = /\.(?:test|spec)\.(?:ts|mts|js|mjs|cjs)$/;
const PYTHON_TEST = /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/;
/** Besides folders that begin with a dot. */
const SKIPPED = new Set(['node_modules', 'dist', 'venv', '__pycache__']);
const HINT = 'tests are files named *.test.ts, *.test.js, *.spec.ts, *.spec.js, test_*.py or *_test.py';

/** What lies in the application's folder. */
interface Found {
  readonly files: string[];
  /** Folders of packages of their own: their tests are run there, with their own runner. */
  readonly packages: string[];
  readonly unread: string[];
}

/**
 * Finds the tests of an application; those of packages inside it are not the application's, as they are not npm's. `wanted`: files, folders or parts of paths, of which one must fit; empty: all.
 * @throws {USAGE} when there are none, or nothing fits one of `wanted`
 */
export async function findTests(root: string, wanted: readonly string[]): Promise<TestFiles> {
  const found: Found = { files: [], packages: [], unread: [] };
  await walk(root, '', found);
  if (found.files.length === 0) throw treadleError('USAGE', { message: `there are no tests in ${root}`, hint: [elsewhere(found.packages) ?? missingApplication(root) ?? HINT, ...found.unread].join('; ') });
  const patterns = wanted.map((pattern) => pattern.replaceAll('\\', '/').replace(/^\.\//, ''));
  for (const pattern of patterns) refuseUnknown(pattern, found);
  const files = found.files.filter((file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern))).sort();
  return { node: files.filter((file) => NODE_TEST.test(file)), python: files.filter((file) => PYTHON_TEST.test(file)), unread: found.unread };
}

async function walk(root: string, folder: string, found: Found): Promise<void> {
  const entries = await readdir(`${root}/${folder}`, { withFileTypes: true }).catch((error: Error) => {
    found.unread.push(`${folder === '' ? '.' : folder} is not searched for tests: ${error.message}`);
    return [];
  });
  if (folder !== '' && entries.some(({ name }) => name === 'package.json') && await isPackage(`${root}/${folder}package.json`)) {
    found.packages.push(folder.slice(0, -1));
    return;
  }
  for (const entry of entries) {
    const path = `${folder}${entry.name}`;
    if (entry.isDirectory() && !SKIPPED.has(entry.name) && !entry.name.startsWith('.')) await walk(root, `${path}/`, found);
    if (entry.isFile() && (NODE_TEST.test(path) || PYTHON_TEST.test(path))) found.files.push(path);
  }
}

/** A package.json without a name makes no package: it says of what type the modules of a folder are. */
async function isPackage(file: string): Promise<boolean> {
  try {
    return (JSON.parse(await readFile(file, 'utf8')) as { readonly name?: unknown }).name !== undefined;
  } catch {
    // A package's that is just being written, more likely than a type.
    return true;
  }
}

function refuseUnknown(pattern: string, { files, packages, unread }: Found): void {
  if (files.some((file) => file.includes(pattern))) return;
  const known = files.slice(0, 10).join(', ') + (files.length > 10 ? ` and ${files.length - 10} more` : '');
  const within = packages.filter((folder) => `${pattern}/`.startsWith(`${folder}/`));
  throw treadleError('USAGE', { message: `no test file fits "${pattern}"`, hint: [elsewhere(within) ?? `there are ${known}`, ...unread].join('; ') });
}

function elsewhere(packages: readonly string[]): string | undefined {
  if (packages.length === 0) return undefined;
  const [one, ...more] = [...packages].sort();
  return more.length === 0 ? `${one} is a package of its own: run its tests there` : `${[one, ...more].join(', ')} are packages of their own: run their tests there`;
}

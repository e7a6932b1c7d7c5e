import { readdir } from 'node:fs/promises';
import { treadleError } from '@treadle/api';

/** Test files, relative to the application's root, sorted. */
export interface TestFiles {
  readonly node: readonly string[];
  readonly python: readonly string[];
}

const NODE_TEST = /\.(?:test|spec)\.(?:ts|mts|js|mjs|cjs)$/;
const PYTHON_TEST = /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/;
/** Besides folders that begin with a dot. */
const SKIPPED = new Set(['node_modules', 'dist', 'venv', '__pycache__']);
const HINT = 'tests are files named *.test.ts, *.test.js, *.spec.ts, *.spec.js, test_*.py or *_test.py';

/**
 * Finds the tests of an application. `wanted`: files, folders or parts of paths, of which one must fit; empty: all.
 * @throws {USAGE} when there are none, or nothing fits one of `wanted`
 */
export async function findTests(root: string, wanted: readonly string[]): Promise<TestFiles> {
  const all: string[] = [];
  await walk(root, '', all);
  if (all.length === 0) throw treadleError('USAGE', { message: `there are no tests in ${root}`, hint: HINT });
  const patterns = wanted.map((pattern) => pattern.replaceAll('\\', '/').replace(/^\.\//, ''));
  for (const pattern of patterns) refuseUnknown(pattern, all);
  const files = all.filter((file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern))).sort();
  return { node: files.filter((file) => NODE_TEST.test(file)), python: files.filter((file) => PYTHON_TEST.test(file)) };
}

async function walk(root: string, folder: string, found: string[]): Promise<void> {
  for (const entry of await readdir(`${root}/${folder}`, { withFileTypes: true })) {
    const path = `${folder}${entry.name}`;
    if (entry.isDirectory() && !SKIPPED.has(entry.name) && !entry.name.startsWith('.')) await walk(root, `${path}/`, found);
    if (entry.isFile() && (NODE_TEST.test(path) || PYTHON_TEST.test(path))) found.push(path);
  }
}

function refuseUnknown(pattern: string, files: readonly string[]): void {
  if (files.some((file) => file.includes(pattern))) return;
  const known = files.slice(0, 10).join(', ') + (files.length > 10 ? ` and ${files.length - 10} more` : '');
  throw treadleError('USAGE', { message: `no test file fits "${pattern}"`, hint: `there are ${known}` });
}

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the repository. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export interface Manifest {
  readonly name: string;
  readonly license?: string;
  readonly type?: string;
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export interface WorkspacePackage {
  /** Relative to the repository, with `/`. */
  readonly folder: string;
  readonly manifest: Manifest;
  /** Sources that ship: no tests, no test fixtures; relative to the repository. */
  readonly sources: readonly string[];
}

const PACKAGE_FOLDERS = ['core', 'modules', 'plugins'];
const SINGLE_PACKAGES = ['config', 'cli', 'console'];

/** Every package of the repository but `test`. */
export function workspacePackages(): readonly WorkspacePackage[] {
  const folders = [
    ...PACKAGE_FOLDERS.flatMap((parent) => foldersIn(parent)),
    ...SINGLE_PACKAGES,
  ].filter((folder) => existsSync(join(ROOT, folder, 'package.json')));
  return folders.map((folder) => ({
    folder,
    manifest: JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest,
    sources: filesBelow(join(ROOT, folder, 'src')).filter(ships).map((file) => relative(ROOT, file)),
  }));
}

/** All files below a folder, absolute, without installed, built and run-time folders. */
export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const skipped = new Set(['node_modules', 'dist', '.git', '.nx', 'data', 'coverage', 'results']);
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

function foldersIn(parent: string): string[] {
  if (!existsSync(join(ROOT, parent))) return [];
  return readdirSync(join(ROOT, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory()).map((entry) => `${parent}/${entry.name}`);
}

function ships(file: string): boolean {
  return /\.(ts|mts)$/.test(file) && !/\.(test|fixture)\.ts$/.test(file) && !file.includes('/templates/');
}

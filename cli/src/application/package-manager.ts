import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { upwards } from './application.js';

export type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun';

export const PACKAGE_MANAGERS: readonly PackageManager[] = ['npm', 'pnpm', 'yarn', 'bun'];

const LOCK_FILES: readonly (readonly [string, PackageManager])[] = [
  ['package-lock.json', 'npm'], ['npm-shrinkwrap.json', 'npm'], ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'], ['bun.lock', 'bun'], ['bun.lockb', 'bun'],
];

/**
 * The package manager of an application: the one whose lock file is nearest, else the one that `packageManager` in
 * package.json names, else the one that runs this command (`npm_config_user_agent`), else npm.
 */
export function detectPackageManager(folder: string, userAgent?: string): PackageManager {
  for (const candidate of upwards(folder)) {
    const found = byLockFile(candidate) ?? byManifest(candidate);
    if (found) return found;
  }
  return asManager(userAgent?.split('/', 1)[0]) ?? 'npm';
}

/** The command that installs what package.json names. */
export function installCommand(manager: PackageManager): readonly string[] {
  return [manager, 'install'];
}

/** The command that adds a package to the dependencies. */
export function addCommand(manager: PackageManager, spec: string): readonly string[] {
  return [manager, manager === 'npm' ? 'install' : 'add', spec];
}

/** The command that runs a script of package.json. */
export function runCommand(manager: PackageManager, script: string): string {
  return `${scriptRunner(manager)} ${script}`;
}

/** What stands before the name of a script to run it. */
export function scriptRunner(manager: PackageManager): string {
  return manager === 'npm' || manager === 'bun' ? `${manager} run` : manager;
}

/** What runs the program of an installed package. */
export function packageProgram(manager: PackageManager): string {
  return { npm: 'npx', pnpm: 'pnpm exec', yarn: 'yarn', bun: 'bunx' }[manager];
}

function byLockFile(folder: string): PackageManager | undefined {
  return LOCK_FILES.find(([name]) => existsSync(join(folder, name)))?.[1];
}

function byManifest(folder: string): PackageManager | undefined {
  try {
    const { packageManager } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { packageManager?: unknown };
    return typeof packageManager === 'string' ? asManager(packageManager.split('@', 1)[0]) : undefined;
  } catch {
    // No package.json here, or not a readable one: the next folder may say it.
    return undefined;
  }
}

function asManager(name: string | undefined): PackageManager | undefined {
  return PACKAGE_MANAGERS.find((manager) => manager === name);
}

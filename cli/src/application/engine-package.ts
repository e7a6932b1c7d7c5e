import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { treadleError } from '@treadle/api';
import type * as EnginePackage from '@treadle/engine';
import { CLI_ROOT, CLI_VERSION } from '../version.js';
import { upwards, type Application } from './application.js';
import { addCommand, detectPackageManager, installCommand } from './package-manager.js';
import { runInstall } from './run-install.js';

const ENGINE = '@treadle/engine';

/**
 * The application's `@treadle/engine`: from its folder upwards, else the one beside this tool. When there is none and `install`
 * is set (default: it is not), the version of this tool is installed with the application's package manager, saying so.
 * @throws {ENGINE_NOT_INSTALLED} naming the command that installs it
 * @throws {INSTALL_FAILED} when the package manager fails
 */
export async function loadEngine(application: Application, { install = false }: { readonly install?: boolean | undefined } = {}): Promise<typeof EnginePackage> {
  const entry = findEngine(application) ?? await installEngine(application, install);
  return await import(pathToFileURL(entry).href) as typeof EnginePackage;
}

/** Absolute path of the engine's entry file, or undefined when it is not installed. */
export function findEngine(application: Application): string | undefined {
  return resolveFrom(application.folder) ?? resolveFrom(application.cwd) ?? resolveFrom(CLI_ROOT);
}

async function installEngine(application: Application, allowed: boolean): Promise<string> {
  const { packageFolder } = application;
  const manager = detectPackageManager(packageFolder, process.env['npm_config_user_agent']);
  const command = dependsOnEngine(packageFolder) ? installCommand(manager) : addCommand(manager, `${ENGINE}@${CLI_VERSION}`);
  if (!allowed) throw notInstalled(application, command);
  const where = relative(application.cwd, packageFolder) || 'this folder';
  await runInstall(command, packageFolder, `${ENGINE} is not installed; running "${command.join(' ')}" in ${where}`);
  const entry = findEngine(application);
  if (entry === undefined) throw notInstalled(application, command);
  return entry;
}

/** Then it only has not been installed yet. */
function dependsOnEngine(packageFolder: string): boolean {
  const { dependencies, devDependencies } = readManifest(packageFolder);
  return ENGINE in { ...dependencies, ...devDependencies };
}

function readManifest(folder: string): { readonly dependencies?: object; readonly devDependencies?: object } {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object;
  } catch {
    // None here, or not a readable one: the package manager says so.
    return {};
  }
}

function notInstalled(application: Application, command: readonly string[]): Error {
  return treadleError('ENGINE_NOT_INSTALLED', { folder: application.folder, command: command.join(' ') });
}

/**
 * Looks into the file system itself: Node remembers that a package was missing, and it may be installed a moment later.
 */
function resolveFrom(folder: string): string | undefined {
  for (const candidate of upwards(folder)) {
    const found = join(candidate, 'node_modules', ENGINE);
    if (existsSync(join(found, 'package.json'))) return join(found, entryOf(found));
  }
  return undefined;
}

/** The same out of few files where the engine has that, for a command should begin at once. */
function entryOf(folder: string): string {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { exports?: EntryPoints };
  const entry = typeof exports === 'object' ? exports['./program'] ?? exports['.'] : exports;
  return (typeof entry === 'object' ? entry.default : entry) ?? 'index.js';
}

type EntryPoint = string | { readonly default?: string };
type EntryPoints = string | { readonly '.'?: EntryPoint; readonly './program'?: EntryPoint };

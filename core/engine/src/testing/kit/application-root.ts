import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The file that is read when none is named, as `treadle dev` does. */
const CONFIG_FILE = 'config.yaml';

/**
 * The folder of the application, without links: modules are one instance only by one path.
 * @throws an `Error` when there is no such folder
 */
export function applicationRoot(given: string | undefined): string {
  const root = resolve(given ?? nearestPackage(process.cwd()));
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory()) return realpathSync(root);
  throw new Error(`the application's root ${root} is no folder`);
}

/** The configuration file, when there is one. */
export function configFileOf(root: string, given: string | undefined): string | undefined {
  return given ?? (existsSync(join(root, CONFIG_FILE)) ? CONFIG_FILE : undefined);
}

function nearestPackage(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent !== folder) return nearestPackage(parent);
  throw new Error(`no package.json in ${process.cwd()} or above it; give createTestEngine the application's "root"`);
}

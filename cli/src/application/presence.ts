import { existsSync, readdirSync, type Dirent } from 'node:fs';
import { join, relative } from 'node:path';
import { treadleError } from '@treadle/api';
import { type Application, locateApplication, upwards } from './application.js';

/** Any of them makes a folder an application's. */
const SIGNS = ['package.json', 'steps', 'src'];

/**
 * For commands that mean nothing without an application; reads names only.
 * @param config value of `--config`
 * @throws {USAGE} where there is none, saying where one is or how to make one
 */
export function requireApplication(config: string | undefined): Application {
  const application = locateApplication(process.cwd(), config);
  const { folder, configFile } = application;
  const hint = configFile === undefined ? missingApplication(folder) : undefined;
  if (hint === undefined) return application;
  throw treadleError('USAGE', { message: `there is no application in ${folder}: no config.yaml, no package.json and no Step files`, hint });
}

/** What to do in a folder without an application; undefined where there is one. */
export function missingApplication(folder: string): string | undefined {
  if (SIGNS.some((name) => existsSync(join(folder, name)))) return undefined;
  const near = [...below(folder), ...upwards(folder)].find(isApplication);
  return near === undefined ? '"npx treadle create my-app" makes one' : `run it in ${relative(folder, near)}, where there is one`;
}

function isApplication(folder: string): boolean {
  return existsSync(join(folder, 'package.json')) && existsSync(join(folder, 'steps'));
}

function below(folder: string): readonly string[] {
  return entriesOf(folder).filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name)).sort();
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Not readable: then nothing near is known.
    return [];
  }
}

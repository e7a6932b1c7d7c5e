import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Which application a command is about. */
export interface Application {
  /** Absolute. */
  readonly cwd: string;
  /** As the user names it; absent: the built-in default configuration. */
  readonly configFile?: string;
  /** Absolute: the config file's folder, or the working directory. */
  readonly folder: string;
  /** Absolute: the nearest folder from `folder` upwards with a package.json; else `folder`. */
  readonly packageFolder: string;
}

/** The file that commands read when `--config` is not given. */
export const DEFAULT_CONFIG_FILE = 'config.yaml';

/**
 * Finds the application: `--config`, else `config.yaml` in the working directory, else the default configuration.
 */
export function locateApplication(cwd: string, config?: string): Application {
  const configFile = config ?? (existsSync(join(cwd, DEFAULT_CONFIG_FILE)) ? DEFAULT_CONFIG_FILE : undefined);
  const folder = configFile === undefined ? cwd : dirname(resolve(cwd, configFile));
  const packageFolder = nearestWith(folder, 'package.json') ?? folder;
  return { cwd, folder, packageFolder, ...(configFile === undefined ? {} : { configFile }) };
}

/** How the configuration is called in messages. */
export function configName(application: Application): string {
  return application.configFile ?? 'default configuration';
}

/** A folder and its parents, the folder first. */
export function* upwards(folder: string): Generator<string> {
  yield folder;
  const parent = dirname(folder);
  if (parent !== folder) yield* upwards(parent);
}

/** The nearest folder from `folder` upwards that holds `name`. */
export function nearestWith(folder: string, name: string): string | undefined {
  for (const candidate of upwards(folder)) if (existsSync(join(candidate, name))) return candidate;
  return undefined;
}

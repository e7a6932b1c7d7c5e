import { resolve } from 'node:path';
import { treadleError } from '@treadle/api';
import { EnvFileError, envMode, type Variables, withEnvFiles } from '@treadle/worker/env-files';
import type { Application } from './application.js';
import { glanceAtConfig } from './config-glance.js';

export type Environment = Variables;

/**
 * `given`, by default the process's environment, and, for variables that it does not set, what the `.env` files of the application's root say.
 * `mode`: which of them. Default: `NODE_ENV`, or development.
 * @throws {CONFIG_NOT_READABLE}
 */
export async function applicationEnvironment(
  application: Application, mode = envMode(process.env, 'development'), given: Environment = process.env,
): Promise<Environment> {
  const { root = '.' } = await glanceAtConfig(application);
  try {
    return withEnvFiles(given, resolve(application.folder, root), mode);
  } catch (error) {
    throw error instanceof EnvFileError ? treadleError('CONFIG_NOT_READABLE', { file: error.file, reason: error.reason }) : error;
  }
}

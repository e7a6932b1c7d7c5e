import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Application } from './application.js';
import { glanceAtConfig } from './config-glance.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The process's environment and, for variables that it does not set, the `.env` file of the application's root. */
export async function applicationEnvironment(application: Application): Promise<Environment> {
  const { root = '.' } = await glanceAtConfig(application);
  return { ...readEnvFile(join(resolve(application.folder, root), '.env')), ...process.env };
}

function readEnvFile(file: string): Environment {
  try {
    return parseEnv(readFileSync(file, 'utf8')) as Environment;
  } catch {
    // No file, or not a readable one: an application needs none.
    return {};
  }
}

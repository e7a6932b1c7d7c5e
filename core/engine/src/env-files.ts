import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Environment, treadleError } from '@treadle/api';
import { EnvFileError, withEnvFiles } from '@treadle/worker/env-files';
import type { EngineSurroundings } from './engine-surroundings.js';

/** The engine's variables: those that are given, and what the application's `.env` files say of others. @throws {CONFIG_NOT_READABLE} */
export async function engineEnvironment({ cwd, env }: EngineSurroundings, configFile: string | undefined): Promise<Environment> {
  const folder = configFile === undefined ? cwd : dirname(resolve(cwd, configFile));
  const { root = '.', mode = 'production' } = configFile === undefined ? {} : await glance(resolve(cwd, configFile));
  return known(() => withEnvFiles(env, resolve(folder, root), mode));
}

function known<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof EnvFileError ? treadleError('CONFIG_NOT_READABLE', { file: error.file, reason: error.reason }) : error;
  }
}

interface Glance {
  readonly root?: string;
  readonly mode?: string;
}

/** What of the configuration matters before it is read; what is wrong with it is said when that is done. */
async function glance(file: string): Promise<Glance> {
  const text = textOf(file);
  // Parsing takes longer than the start of a Step process may wait; most files need none.
  if (!/^\s*["']?(?:engine)["']?\s*:|^\s*\{/m.test(text)) return {};
  const { parseConfig } = await import('@treadle/config');
  const tree = parseConfig(text, file).value;
  const engine = tree?.kind === 'map' ? tree.entries.get('engine')?.value : undefined;
  const setting = (key: string): string | undefined => {
    const value = engine?.kind === 'map' ? engine.entries.get(key)?.value : undefined;
    return value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : undefined;
  };
  const [root, mode] = [setting('root'), setting('mode')];
  return { ...(root !== undefined && { root }), ...(mode !== undefined && { mode }) };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Located } from '@treadle/config';
import type { Application } from './application.js';

/** What can be said of a configuration without checking it. */
export interface ConfigGlance {
  /** Names and relative paths of `plugins:`. */
  readonly plugins: readonly string[];
  /** `engine.root` as written. */
  readonly root?: string;
}

const DEFAULT_DATA_DIR = 'data';
const NOTHING: ConfigGlance = { plugins: [] };
/** Larger files are refused by the engine. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads the few settings that matter before the configuration is checked. Never fails: what is wrong with the file is
 * said by the command itself.
 */
export async function glanceAtConfig(application: Application): Promise<ConfigGlance> {
  const tree = await parsed(application);
  if (!tree) return NOTHING;
  const root = scalar(child(child(tree, 'engine'), 'root'));
  return { plugins: list(child(tree, 'plugins')), ...(root === undefined ? {} : { root }) };
}

/** Absolute path of the engine's data directory, with `env` for placeholders. Never fails; see `glanceAtConfig`. */
export async function dataDirectory(application: Application, env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const engine = child(await parsed(application), 'engine');
  const { interpolate } = await import('@treadle/config');
  const written = engine?.kind === 'map' ? scalar(child(interpolate(engine, env).value, 'data_dir')) : undefined;
  return resolve(application.folder, written ?? DEFAULT_DATA_DIR);
}

async function parsed({ cwd, configFile }: Application): Promise<Located | undefined> {
  const text = configFile === undefined ? undefined : readSmall(resolve(cwd, configFile));
  // Parsing costs more than all else that happens before a command runs; most files need none.
  if (configFile === undefined || text === undefined || !/^\s*["']?(plugins|engine)["']?\s*:|^\s*\{/m.test(text)) return undefined;
  const { parseConfig } = await import('@treadle/config');
  return parseConfig(text, configFile).value;
}

function readSmall(file: string): string | undefined {
  try {
    return existsSync(file) && statSync(file).size <= MAX_BYTES ? readFileSync(file, 'utf8') : undefined;
  } catch {
    // Not readable: the command that needs the file says so.
    return undefined;
  }
}

function child(node: Located | undefined, key: string): Located | undefined {
  return node?.kind === 'map' ? node.entries.get(key)?.value : undefined;
}

function scalar(node: Located | undefined): string | undefined {
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}

function list(node: Located | undefined): readonly string[] {
  return node?.kind === 'list' ? node.items.map(scalar).filter((name) => name !== undefined) : [];
}

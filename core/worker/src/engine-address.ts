import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** Where the engine listens unless said otherwise. */
const DEFAULT_URL = 'ws://127.0.0.1:3110';
const DEFAULT_DATA_DIR = 'data';

/** How to reach an engine. */
export interface EngineAddress {
  /** `ws:`, `wss:` or `ws+unix:`. */
  readonly url: string;
  readonly token: string;
}

export interface EngineAddressOptions {
  /** ENGINE_URL: ws, wss, http or https. */
  readonly url?: string | undefined;
  /** ENGINE_TOKEN. */
  readonly token?: string | undefined;
  /** TREADLE_DATA_DIR: the engine's data directory. */
  readonly dataDir?: string | undefined;
  /** What a relative data directory is relative to. */
  readonly cwd: string;
}

/** The engine cannot be found; the message says what is missing. */
export class EngineAddressError extends Error {}

/**
 * Finds the engine: what is given, else what `engine.json` and `worker.token` in the engine's data directory say.
 * @throws EngineAddressError
 */
export async function findEngine(options: EngineAddressOptions): Promise<EngineAddress> {
  const folder = resolve(options.cwd, options.dataDir ?? DEFAULT_DATA_DIR);
  const url = options.url ? toSocketUrl(options.url) : await urlFrom(folder);
  return { url, token: options.token || await tokenFrom(folder) };
}

/** The WebSocket URL of an engine's address. @throws EngineAddressError when it is no URL of a known kind */
export function toSocketUrl(address: string): string {
  const scheme = /^(wss?|https?|ws\+unix):/i.exec(address)?.[1]?.toLowerCase();
  if (!scheme) throw new EngineAddressError(`ENGINE_URL "${address}" is no ws, wss, http or https URL`);
  if (scheme === 'ws+unix') return address;
  try {
    return new URL(address.replace(/^http/i, 'ws')).href;
  } catch {
    throw new EngineAddressError(`ENGINE_URL "${address}" is no URL`);
  }
}

async function urlFrom(folder: string): Promise<string> {
  const address = announced(await readFile(join(folder, 'engine.json'), 'utf8').catch(() => '{}'));
  // No engine.json, or one without a worker channel: the default address is the last resort.
  return address === undefined ? DEFAULT_URL : toSocketUrl(address);
}

/** The worker channel in engine.json: the local socket, else the port. */
function announced(text: string): string | undefined {
  try {
    const { addresses = {} } = JSON.parse(text) as { addresses?: Readonly<Record<string, unknown>> };
    return [addresses['worker'], addresses['worker-tcp']].find((address): address is string => typeof address === 'string');
  } catch {
    return undefined; // being written, or not ours
  }
}

async function tokenFrom(folder: string): Promise<string> {
  const file = join(folder, 'worker.token');
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'the file does not exist' : (error as Error).message;
    throw new EngineAddressError(`no token for the engine: ENGINE_TOKEN is not set, and ${file} cannot be read: ${reason}`);
  }
}

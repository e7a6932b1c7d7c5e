import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ENGINE_FILE, parseEngineRecord, WORKER_TOKEN_FILE } from '@treadle/protocol/engine-record';

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
  const addresses = parseEngineRecord(await readFile(join(folder, ENGINE_FILE), 'utf8').catch(() => ''))?.addresses ?? {};
  const address = addresses['worker'] ?? addresses['worker-tcp'];
  // No record that can be read, or one without a worker channel: the default address is the last resort.
  return address === undefined ? DEFAULT_URL : toSocketUrl(address);
}

async function tokenFrom(folder: string): Promise<string> {
  const file = join(folder, WORKER_TOKEN_FILE);
  const reasonOf = (error: NodeJS.ErrnoException): string => (error.code === 'ENOENT' ? 'the file does not exist' : error.message);
  const [token, reason] = await readFile(file, 'utf8').then((text) => [text.trim(), 'it is empty'], (error: Error) => ['', reasonOf(error)]);
  if (token) return token;
  throw new EngineAddressError(`no token for the engine: ENGINE_TOKEN is not set, and ${file} cannot be read: ${reason}`);
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADMIN_TOKEN_FILE, isLoopback, treadleError } from '@treadle/api';
import { ENGINE_FILE, parseEngineRecord, readEngineFile } from '@treadle/protocol/engine-record';
import { locateApplication } from '../application/application.js';
import { dataDirectory } from '../application/config-glance.js';
import { applicationEnvironment } from '../application/dotenv.js';

/** Where an admin API is and what it wants to be shown. */
export interface AdminAddress {
  /** `http:` or `https:`, without a slash at the end. */
  readonly url: string;
  /** Absent: the engine will refuse, and say why. */
  readonly token: string | undefined;
}

/** What a command was told. */
export interface AdminChoice {
  readonly config?: string | undefined;
  readonly url?: string | undefined;
}

/**
 * The engine that a command is about: `--url`, else TREADLE_ADMIN_URL, else the one that runs on the application's data
 * directory. Its token is the file beside `engine.json`, else ADMIN_TOKEN; a file's token is sent to this machine only.
 * @throws {ENGINE_NOT_RUNNING}, {ADMIN_NOT_SERVED}, {USAGE} for an address that is none
 */
export async function findAdmin(choice: AdminChoice): Promise<AdminAddress> {
  const application = locateApplication(process.cwd(), choice.config);
  const env = await applicationEnvironment(application);
  const dir = await dataDirectory(application, env);
  const ownToken = nonEmpty(env['ADMIN_TOKEN']);
  const given = choice.url ?? nonEmpty(env['TREADLE_ADMIN_URL']);
  if (given !== undefined) {
    const url = checkedUrl(given, choice.url === undefined ? 'TREADLE_ADMIN_URL' : '--url');
    return { url, token: ownToken ?? (isLoopback(new URL(url).hostname) ? tokenIn(dir) : undefined) };
  }
  return { url: announcedIn(dir), token: tokenIn(dir) ?? ownToken };
}

function announcedIn(dir: string): string {
  const file = join(dir, ENGINE_FILE);
  const engine = parseEngineRecord(recordIn(dir, file));
  if (!engine) throw treadleError('ENGINE_NOT_RUNNING', { dir });
  const { addresses, pid } = engine;
  const url = addresses['console'];
  if (url !== undefined) return checkedUrl(url, file);
  // The engine writes its addresses when all of them are there.
  if (Object.keys(addresses).length === 0) throw treadleError('ADMIN_UNREACHABLE', { url: dir, reason: `the engine with pid ${pid} is still starting` });
  throw treadleError('ADMIN_NOT_SERVED', { pid });
}

/** Empty when there is none. */
function recordIn(dir: string, file: string): string {
  try {
    return readEngineFile(file) ?? '';
  } catch (error) {
    throw treadleError('ADMIN_UNREACHABLE', { url: dir, reason: (error as Error).message }, { cause: error });
  }
}

/** Undefined for a file that is not there or is somebody else's: the engine itself says what is missing. */
function tokenIn(dir: string): string | undefined {
  try {
    return nonEmpty(readFileSync(join(dir, ADMIN_TOKEN_FILE), 'utf8').trim());
  } catch {
    return undefined;
  }
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function checkedUrl(text: string, from: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && url.username === '') return url.href.replace(/\/+$/, '');
  throw treadleError('USAGE', { message: `${from} must be an address such as http://127.0.0.1:3113, got "${text}"` });
}

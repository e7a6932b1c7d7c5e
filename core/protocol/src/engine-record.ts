import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { isAbsolute, join } from 'node:path';

/** File in the data directory that says which engine runs on it. */
export const ENGINE_FILE = 'engine.json';
/** File beside it with the secret of Step processes: one line, around which white space does not count. Empty: there is none. */
export const WORKER_TOKEN_FILE = 'worker.token';

/** What an engine tells of itself. */
export interface EngineDescription {
  readonly pid: number;
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  /** Of the engine. */
  readonly version: string;
  readonly application: string;
  /**
   * Name → address, e.g. `http` → `http://127.0.0.1:3111`; empty until the engine is ready. Others rely on `console` (the admin API), and on `worker` (the local socket)
   * and `worker-tcp`, which Step processes connect to.
   */
  readonly addresses: Readonly<Record<string, string>>;
}

/** The whole file. */
export interface EngineRecord extends EngineDescription {
  /** Unique per start of an engine: 16 digits, hex. */
  readonly id: string;
  /**
   * Lock socket, which is open as long as the engine lives: relative to the data directory, so that the directory may be mounted or copied elsewhere; absolute
   * when it lies in the temp folder; `tcp:<port>` on Windows.
   */
  readonly lock: string;
}

/** What can be relied on of a file that was found: `pid` 0, `version` '' and no addresses where it does not say them. */
export type FoundEngine = Pick<EngineRecord, 'id' | 'lock' | 'pid' | 'version' | 'addresses'>;

/** Only these mean that no process holds the socket; anything else counts as alive, which is the safe side. */
const NOBODY_THERE = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTSOCK', 'ENOTDIR']);
const TCP = /^tcp:(\d+)$/;
/** A socket of a stopped or busy engine accepts in the kernel; this only bounds the odd. */
const CONNECT_TIMEOUT_MS = 2000;

/** The file's text. */
export function formatEngineRecord(record: EngineRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

/** Reads such a file; undefined when there is none. @throws an `ErrnoException` naming the file when it cannot be read */
export function readEngineFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    // The system names no file when it is a folder that is read.
    if (path === undefined) (error as Error).message += `: '${file}'`;
    throw error;
  }
}

/** Undefined for what no engine wrote, or what a crash of the machine tore: no engine runs by it. */
export function parseEngineRecord(text: string): FoundEngine | undefined {
  const { id, lock, pid, version, addresses } = objectIn(text);
  if (typeof id !== 'string' || !/^[0-9a-f]{16}$/.test(id) || typeof lock !== 'string') return undefined;
  const told = Object.entries(addresses ?? {}).filter(([, address]) => typeof address === 'string' && address !== '');
  return { id, lock, pid: typeof pid === 'number' ? pid : 0, version: typeof version === 'string' ? version : '', addresses: Object.fromEntries(told) };
}

/** Where the lock socket of an engine on the data directory `folder` is. */
export function lockAddress(folder: string, lock: string): { readonly path: string } | { readonly host: string; readonly port: number } {
  const tcp = TCP.exec(lock);
  return tcp ? { host: '127.0.0.1', port: Number(tcp[1]) } : { path: isAbsolute(lock) ? lock : join(folder, lock) };
}

/** True when a process holds the lock socket. Asks the system only, so it also answers for an engine that hangs. */
export function isHeld(folder: string, lock: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(lockAddress(folder, lock));
    const answer = (held: boolean): void => {
      socket.destroy();
      resolve(held);
    };
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => answer(true));
    socket.once('connect', () => answer(true));
    socket.once('error', (error: NodeJS.ErrnoException) => answer(!NOBODY_THERE.has(error.code ?? '')));
  });
}

function objectIn(text: string): Partial<Readonly<Record<keyof EngineRecord, unknown>>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

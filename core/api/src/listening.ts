import { lookup } from 'node:dns/promises';
import type { ListenOptions, Server } from 'node:net';
import { treadleError, type TreadleError } from './errors.js';

/**
 * How often an HTTP server should look for connections that are over their time (`connectionsCheckingInterval`; Node's default is 30 s), in milliseconds. Those that
 * were opened together are over together: with a longer interval more of them are refused at once, which holds up the event loop.
 */
export const CONNECTIONS_CHECK_MS = 100;

/** Where a module listens and which part of its config says so. */
export interface ListenPlace {
  readonly host: string;
  readonly port: number;
  /** Position of the config, e.g. `modules[2].config`. */
  readonly path: string;
}

/**
 * Resolves when connections are accepted; rejects with the error of the operating system. One that cannot be accepted later
 * (no file handles left) is lost alone: it does not end the engine.
 */
export function startListening(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      server.off('error', reject);
      server.on('error', () => undefined);
      resolve();
    });
  });
}

/** `ADDRESS_IN_USE` or `ADDRESS_REFUSED` for what `startListening` rejected with, naming the setting to change. */
export function listenError(error: NodeJS.ErrnoException, { host, port, path }: ListenPlace): TreadleError {
  const address = `${urlHost(host)}:${port}`;
  if (error.code === 'EADDRINUSE') return treadleError('ADDRESS_IN_USE', { address, setting: `${path}.port` }, { cause: error });
  const setting = `${path}.${error.code === 'EACCES' ? 'port' : 'host'}`;
  return treadleError('ADDRESS_REFUSED', { address, setting, reason: error.code ?? error.message }, { cause: error });
}

/** True for an address that only this machine can reach: `localhost`, 127.0.0.0/8, `::1` with or without brackets. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** A host as URLs have it: IPv6 addresses stand in brackets. */
export function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** True when a server listens already where this place is: another name of the same address, or the port that a 0 has got. */
export async function listensAt(server: Server, { host, port }: Pick<ListenPlace, 'host' | 'port'>): Promise<boolean> {
  const at = server.address();
  if (at === null || typeof at === 'string' || at.port !== port) return false;
  const found = await lookup(host).catch(() => undefined);
  return found?.address === at.address;
}

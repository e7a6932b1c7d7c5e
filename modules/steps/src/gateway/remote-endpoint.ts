import { lookup } from 'node:dns/promises';
import { type ConfigConflict, type InstanceId, LEAST_TOKEN_LENGTH, listenError, treadleError, urlHost } from '@treadle/api';
import type { StepsConfig } from '../steps.config.js';
import type { Listener } from './listener.js';

/**
 * Opens the TCP port for Step processes that are started by hand and returns its URL.
 * @throws {ADDRESS_IN_USE} or {ADDRESS_REFUSED} naming the setting
 */
export async function openRemoteEndpoint(
  listener: Listener, { host, port }: { host: string; port: number }, instance: InstanceId,
): Promise<string> {
  try {
    await listener.listen({ host, port });
  } catch (error) {
    throw listenError(error as NodeJS.ErrnoException, { host, port, path: `${instance.path}.config` });
  }
  return `ws://${urlHost(host)}:${listener.port}`;
}

/** What is wrong when strangers could reach the port and nobody chose a token, or one that can be guessed. */
export async function openHostConflicts({ port, token, host }: StepsConfig): Promise<readonly ConfigConflict[]> {
  const length = token?.length ?? 0;
  if (port === false || length >= LEAST_TOKEN_LENGTH || await leadsToLoopback(host)) return [];
  const lacking = token === undefined ? 'so Step processes need a token of your choice' : `and the token has ${length} characters; ${LEAST_TOKEN_LENGTH} are the least`;
  return [{
    key: 'host', problem: `"${host}" is reachable from other machines, ${lacking}`,
    hint: token === undefined ? 'set ENGINE_TOKEN' : 'set ENGINE_TOKEN to a long one, e.g. from "openssl rand -base64 24"',
  }];
}

/** @throws {CONFIG_CONFLICT} as `openHostConflicts`, for an engine that is not started from a checked file */
export async function refuseOpenHost(config: StepsConfig, instance: InstanceId): Promise<void> {
  for (const { key, ...conflict } of await openHostConflicts(config)) {
    throw treadleError('CONFIG_CONFLICT', { path: `${instance.path}.config.${key}`, ...conflict }, { at: instance.at, instance });
  }
}

/** A name may stand for any address. */
async function leadsToLoopback(host: string): Promise<boolean> {
  const addresses = await lookup(host, { all: true }).catch(() => []);
  return addresses.length > 0 && addresses.every(({ address }) => address === '::1' || address.startsWith('127.'));
}

import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import { type InstanceId, treadleError } from '@treadle/api';
import type { StepsConfig } from '../steps.config.js';
import type { Listener } from './listener.js';

/**
 * Opens the TCP port for Step processes that are started by hand and returns its URL.
 * @throws {ADDRESS_IN_USE} or {ADDRESS_REFUSED} naming the setting
 */
export async function openRemoteEndpoint(
  listener: Listener, { host, port }: { host: string; port: number }, instance: InstanceId,
): Promise<string> {
  const shown = isIPv6(host) ? `[${host}]` : host;
  try {
    await listener.listen({ host, port });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const address = `${shown}:${port}`;
    const details = { at: instance.at, instance, cause };
    const setting = `${instance.path}.config.port`;
    if (code === 'EADDRINUSE') throw treadleError('ADDRESS_IN_USE', { address, setting }, details);
    throw treadleError('ADDRESS_REFUSED', { address, setting, reason: message }, details);
  }
  return `ws://${shown}:${listener.port}`;
}

/** @throws {CONFIG_CONFLICT} when strangers could reach the port and nobody chose a token */
export async function refuseOpenHost(config: StepsConfig, instance: InstanceId): Promise<void> {
  if (config.port === false || config.token !== undefined || await isLoopback(config.host)) return;
  throw treadleError('CONFIG_CONFLICT', {
    path: `${instance.path}.config.host`,
    problem: `"${config.host}" is reachable from other machines, so Step processes need a token of your choice`,
    hint: 'set ENGINE_TOKEN',
  }, { at: instance.at, instance });
}

async function isLoopback(host: string): Promise<boolean> {
  const addresses = await lookup(host, { all: true }).catch(() => []);
  return addresses.length > 0 && addresses.every(({ address }) => address === '::1' || address.startsWith('127.'));
}

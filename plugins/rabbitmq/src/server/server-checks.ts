import { TreadleError, treadleError } from '@treadle/api';
import { textOf } from './faults.js';
import { addressOf, loginOf, type RabbitMqConfig, serverName } from './rabbit.config.js';

/** The first with message times and stable snapshots of quorum queues. */
const OLDEST = [3, 10] as const;

type Properties = Readonly<Record<string, unknown>>;

/** @throws {SERVICE_UNAVAILABLE} when it is not RabbitMQ, or too old */
export function checkServer(config: RabbitMqConfig, { product, version }: Properties): void {
  const server = serverName(config);
  if (product !== 'RabbitMQ') throw unusable(server, `it says that it is ${String(product)}`, 'name a RabbitMQ server: other brokers have no quorum queues');
  const [major, minor] = versionOf({ version });
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  throw unusable(server, `it is version ${String(version)}; ${OLDEST.join('.')} is the oldest that works`, 'use a newer RabbitMQ');
}

/** From version 4 on a queue drops what was given back often, unless it is told not to; before that it does not know how to be told. */
export function deliveryArguments(properties: Properties): Readonly<Record<string, unknown>> {
  return { 'x-queue-type': 'quorum', ...versionOf(properties)[0] >= 4 && { 'x-delivery-limit': -1 } };
}

/** The error of a start. */
export function connectFault(config: RabbitMqConfig, error: unknown): TreadleError {
  if (error instanceof TreadleError) return error;
  const server = serverName(config);
  const text = textOf(error);
  const { username } = loginOf(config);
  if (/login was refused/i.test(text)) {
    return unusable(server, `it refuses the user "${username}"`, 'set username and password, e.g. password: ${RABBITMQ_PASSWORD}; "guest" may log in from the same machine only');
  }
  if (/access[_-]refused/i.test(text)) {
    return unusable(server, text, `let "${username}" configure, write and read what begins with "treadle.${config.name}": rabbitmqctl set_permissions`);
  }
  // What the client says when the server closes the connection in answer to the name of the virtual host.
  if (/NOT[_-]ALLOWED|expected ConnectionOpenOk/i.test(text)) {
    return unusable(server, `it has no virtual host "${addressOf(config).vhost}" for the user "${username}"`,
      `make it (rabbitmqctl add_vhost) and let "${username}" use it (rabbitmqctl set_permissions), or set vhost`);
  }
  return treadleError('SERVICE_UNAVAILABLE', { service: server, reason: text }, { cause: error });
}

function versionOf({ version }: Properties): readonly [major: number, minor: number] {
  const [major = 0, minor = 0] = String(version).split('.').map(Number);
  return [major, minor];
}

function unusable(server: string, reason: string, hint: string): TreadleError {
  return new TreadleError('SERVICE_UNAVAILABLE', `${server} cannot be used: ${reason}`, hint);
}

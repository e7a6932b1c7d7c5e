import { randomUUID } from 'node:crypto';
import type { OtelEnvironment } from './environment.js';
import type { OtelConfig } from './otel.config.js';

/** Tells the engines of a service apart; one a process. @source OpenTelemetry semantic conventions, service.instance.id */
const INSTANCE_ID = randomUUID();

/** What is the same for everything that this engine tells: OpenTelemetry's resource. */
export function resourceAttributes(
  config: OtelConfig, service: string, env: OtelEnvironment['resource'],
): Readonly<Record<string, string>> {
  const { service_version: version, service_namespace: namespace } = config;
  return {
    'service.instance.id': INSTANCE_ID, ...env, 'service.name': config.service_name ?? env['service.name'] ?? service,
    ...version === undefined ? {} : { 'service.version': version }, ...namespace === undefined ? {} : { 'service.namespace': namespace },
  };
}

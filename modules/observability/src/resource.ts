import type { EngineInfo } from '@treadle/api';
import type { OtelEnvironment } from './environment.js';
import type { OtelConfig } from './otel.config.js';

/** Who tells: the application is `service.name` unless the config says otherwise, the engine's id tells those of a service apart as `service.instance.id`. */
export type Teller = Pick<EngineInfo, 'application' | 'engineId'>;

/** What is the same for everything that this engine tells: OpenTelemetry's resource. */
export function resourceAttributes(
  config: OtelConfig, { application, engineId }: Teller, env: OtelEnvironment['resource'],
): Readonly<Record<string, string>> {
  const { service_version: version, service_namespace: namespace } = config;
  return {
    'service.instance.id': engineId, ...env, 'service.name': config.service_name ?? env['service.name'] ?? application,
    ...version === undefined ? {} : { 'service.version': version }, ...namespace === undefined ? {} : { 'service.namespace': namespace },
  };
}

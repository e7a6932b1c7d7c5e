import type { OtelEnvironment, Signal } from '../environment.js';
import type { OtelConfig } from '../otel.config.js';

/** Where one signal is sent, and how. */
export interface OtlpEndpoint {
  readonly url: string;
  readonly protocol: 'grpc' | 'http';
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

const PATHS: Readonly<Record<Signal, string>> = { TRACES: 'v1/traces', METRICS: 'v1/metrics', LOGS: 'v1/logs' };

/** The setting, else the signal's own variable, else the common one, else this machine. @source OpenTelemetry, OTLP exporter */
export function otlpEndpoint(signal: Signal, config: OtelConfig, env: OtelEnvironment): OtlpEndpoint {
  const protocol = config.endpoint_protocol === 'grpc' ? 'grpc' : 'http';
  const own = config.endpoint === undefined ? env.endpoints[signal] : undefined;
  const base = config.endpoint ?? env.endpoint ?? (protocol === 'grpc' ? 'http://localhost:4317' : 'http://localhost:4318');
  return {
    protocol, timeoutMs: config.export_timeout_ms, headers: { ...env.headers, ...config.headers },
    url: own ?? (protocol === 'grpc' ? base : `${base.replace(/\/+$/, '')}/${PATHS[signal]}`),
  };
}

/** The address without user, password and query, for messages. */
export function shownEndpoint({ url }: Pick<OtlpEndpoint, 'url'>): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}

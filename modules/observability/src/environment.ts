import { type Environment, treadleError, type TreadleError } from '@treadle/api';

/** The three signals as OpenTelemetry's variables name them. */
export type Signal = 'TRACES' | 'METRICS' | 'LOGS';

/** What OpenTelemetry's standard variables say that no single setting says. */
export interface OtelEnvironment {
  readonly resource: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Of all signals, and of single ones; the latter are whole addresses, with their path. */
  readonly endpoint: string | undefined;
  readonly endpoints: Readonly<Partial<Record<Signal, string>>>;
}

/** @throws {CONFIG_BAD_ENV} naming the variable */
export function otelEnvironment(env: Environment, path: string): OtelEnvironment {
  const endpoints: Partial<Record<Signal, string>> = {};
  for (const signal of ['TRACES', 'METRICS', 'LOGS'] as const) {
    const endpoint = urlOf(env, `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`, path);
    if (endpoint !== undefined) endpoints[signal] = endpoint;
  }
  return {
    resource: pairsOf(env, 'OTEL_RESOURCE_ATTRIBUTES', path), headers: pairsOf(env, 'OTEL_EXPORTER_OTLP_HEADERS', path),
    endpoint: urlOf(env, 'OTEL_EXPORTER_OTLP_ENDPOINT', path), endpoints,
  };
}

/** The resource alone, for what is told without an export; what cannot be read is left out, and an export refuses it. */
export function resourceOfEnvironment(env: Environment): OtelEnvironment['resource'] {
  try {
    return pairsOf(env, 'OTEL_RESOURCE_ATTRIBUTES', '');
  } catch {
    return {};
  }
}

function urlOf(env: Environment, variable: string, path: string): string | undefined {
  const value = written(env, variable);
  if (value === undefined || (URL.canParse(value) && /^https?:/i.test(value))) return value;
  // It may have a password in it.
  throw bad({ variable, shown: 'no address', must: 'an address such as http://localhost:4317', path });
}

/** `a=1,b=2`, values percent-encoded. @source W3C Baggage, OpenTelemetry resource SDK */
function pairsOf(env: Environment, variable: string, path: string): Readonly<Record<string, string>> {
  const pairs = (written(env, variable) ?? '').split(',').filter((part) => part.trim() !== '');
  return Object.fromEntries(pairs.map((part) => {
    const at = part.indexOf('=');
    const value = at < 1 ? undefined : decoded(part.slice(at + 1).trim());
    if (value === undefined) throw bad({ variable, shown: 'not a list of pairs', must: 'written like name=value,name=value with values percent-encoded', path });
    return [part.slice(0, at).trim(), value];
  }));
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone %: the caller says so.
    return undefined;
  }
}

function written(env: Environment, variable: string): string | undefined {
  const value = env[variable]?.trim();
  return value === '' ? undefined : value;
}

interface Bad { readonly variable: string; readonly shown: string; readonly must: string; readonly path: string }

function bad({ variable, shown, must, path }: Bad): TreadleError {
  return treadleError('CONFIG_BAD_ENV', { path, variable, value: shown, owner: 'modules::observability::OtelModule', key: variable, must });
}

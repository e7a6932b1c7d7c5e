import { createRequire } from 'node:module';
import type * as SdkNode from '@opentelemetry/sdk-node';
import type { tracing } from '@opentelemetry/sdk-node';
import type { Signal } from '../environment.js';
import type { OtlpEndpoint } from './otlp-endpoint.js';

const load = createRequire(import.meta.url);

/** What one exporter of OpenTelemetry does with a batch. */
export interface Exporter<T> {
  /** Rejects with the reason when the batch was not taken. */
  send(batch: T): Promise<void>;
  close(): Promise<void>;
}

interface SdkExporter<T> {
  export(batch: T, done: (result: { readonly code: number; readonly error?: Error }) => void): void;
  shutdown(): Promise<void>;
}
type ExporterClass = new (options: object) => SdkExporter<never>;

const PACKAGES: Readonly<Record<Signal, readonly [pack: string, name: string]>> = {
  TRACES: ['trace', 'OTLPTraceExporter'], METRICS: ['metrics', 'OTLPMetricExporter'], LOGS: ['logs', 'OTLPLogExporter'],
};

/** `@opentelemetry/sdk-node`; loading it takes a tenth of a second, so only who exports asks for it. */
export function sdkNode(): typeof SdkNode {
  return load('@opentelemetry/sdk-node') as typeof SdkNode;
}

/**
 * One of the exporters that come with `@opentelemetry/sdk-node`. `NodeSDK` itself does not start them: it makes itself the provider of the whole process,
 * so of two engines one would report for both, and what user code traces in process would leave unsampled and unredacted; and its
 * processors tell nobody what they lost, and count items where memory needs a limit in bytes.
 */
export function otlpExporter<T>(signal: Signal, endpoint: OtlpEndpoint): Exporter<T> {
  const { protocol, url, headers, timeoutMs } = endpoint;
  const fromSdk = createRequire(load.resolve('@opentelemetry/sdk-node'));
  const [pack, name] = PACKAGES[signal];
  const id = `@opentelemetry/exporter-${pack}-otlp-${protocol === 'grpc' ? 'grpc' : 'proto'}`;
  const Class = (fromSdk(id) as Readonly<Record<string, ExporterClass>>)[name] as ExporterClass;
  const credentials = protocol === 'grpc' ? { metadata: metadataOf(id, headers) } : { headers };
  const exporter = new Class({ url, timeoutMillis: timeoutMs, ...credentials }) as SdkExporter<T>;
  return {
    send: (batch) => new Promise((resolve, reject) => {
      exporter.export(batch, ({ code, error }) => (code === 0 ? resolve() : reject(error ?? new Error('the collector refused it'))));
    }),
    close: () => exporter.shutdown(),
  };
}

/** A request of OTLP with these spans, as JSON in UTF-8. */
export function otlpJson(spans: readonly tracing.ReadableSpan[]): Uint8Array {
  const { JsonTraceSerializer } = besideExporter('@opentelemetry/exporter-trace-otlp-proto', '@opentelemetry/otlp-transformer') as Transformer;
  return JsonTraceSerializer.serializeRequest(spans);
}

interface Transformer {
  readonly JsonTraceSerializer: { serializeRequest(spans: readonly tracing.ReadableSpan[]): Uint8Array };
}

function metadataOf(exporter: string, headers: Readonly<Record<string, string>>): object {
  const { Metadata } = besideExporter(exporter, '@grpc/grpc-js') as { readonly Metadata: new () => { set(name: string, value: string): void } };
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  return metadata;
}

/** A package that an exporter of the SDK uses: the very one that it has. */
function besideExporter(exporter: string, name: string): unknown {
  const fromSdk = createRequire(load.resolve('@opentelemetry/sdk-node'));
  return createRequire(fromSdk.resolve(exporter))(name);
}

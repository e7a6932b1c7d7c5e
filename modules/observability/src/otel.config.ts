import { type ConfigConflict, type ConfigSchema, liveSettings } from '@treadle/api';

/** Where a signal goes. */
export type ExporterChoice = 'memory' | 'otlp' | 'both';

/** `config` of `modules::observability::OtelModule`. */
export interface OtelConfig {
  readonly enabled: boolean;
  readonly service_name?: string;
  readonly service_version?: string;
  readonly service_namespace?: string;
  readonly exporter: ExporterChoice | 'none';
  readonly endpoint?: string;
  readonly endpoint_protocol: 'grpc' | 'http' | 'http/protobuf';
  readonly headers: Readonly<Record<string, string>>;
  readonly export_interval_ms: number;
  readonly export_timeout_ms: number;
  readonly sampling_ratio: number;
  readonly memory_max_spans: number;
  readonly memory_max_bytes: number;
  readonly metrics_enabled: boolean;
  readonly metrics_exporter: ExporterChoice | 'none';
  readonly metrics_retention_seconds: number;
  readonly metrics_max_count: number;
  readonly metrics_export_interval_ms: number;
  readonly logs_enabled: boolean;
  readonly logs_exporter: ExporterChoice | 'none';
  readonly logs_max_count: number;
  readonly logs_max_bytes: number;
  readonly logs_retention_seconds: number;
  readonly logs_sampling_ratio: number;
  readonly level?: 'debug' | 'info' | 'warn' | 'error';
  readonly format?: 'json' | 'text';
}

const MIB = 1024 * 1024;

/** OpenTelemetry's standard variables that are more than another name of a setting. @source OpenTelemetry, environment variable specification */
const DISABLED = { OTEL_SDK_DISABLED: { true: false, false: true } };
const TRACES_EXPORTER = { OTEL_TRACES_EXPORTER: { otlp: 'otlp', none: 'none' } };
const SAMPLER = {
  OTEL_TRACES_SAMPLER: {
    always_on: 1, always_off: 0, traceidratio: 1, parentbased_always_on: 1, parentbased_always_off: 0, parentbased_traceidratio: 1,
  },
};

type Setting = ConfigSchema;

const flag = (description: string, variable?: string): Setting =>
  ({ type: 'boolean', default: true, description, ...variable === undefined ? {} : { 'x-env': variable } });
const ratio = (description: string, variable?: string): Setting =>
  ({ type: 'number', minimum: 0, maximum: 1, default: 1, description, ...variable === undefined ? {} : { 'x-env': variable } });
const count = (byDefault: number, description: string): Setting =>
  ({ type: 'integer', minimum: 1, maximum: 1_000_000, default: byDefault, description });
const bytes = (byDefault: number, description: string): Setting =>
  ({ type: 'integer', minimum: 65_536, maximum: 4096 * MIB, default: byDefault, 'x-unit': 'bytes', 'x-advanced': true, description });
const retention = (description: string): Setting =>
  ({ type: 'integer', minimum: 1, maximum: 2_592_000, default: 3600, 'x-unit': 'seconds', description });
const name = (description: string, variable?: string): Setting =>
  ({ type: 'string', minLength: 1, maxLength: 200, description, ...variable === undefined ? {} : { 'x-env': variable } });

interface Interval { readonly byDefault: number; readonly variable: string; readonly maximum?: number }
const interval = ({ byDefault, variable, maximum = 3_600_000 }: Interval, description: string): Setting =>
  ({ type: 'integer', minimum: 100, maximum, default: byDefault, 'x-unit': 'ms', 'x-advanced': true, 'x-env': variable, description });

const exporter = (description: string, variable: string): Setting => ({
  enum: ['memory', 'otlp', 'both', 'none'], default: 'memory', description, 'x-env': variable,
  'x-enum-docs': { memory: 'kept in this process', otlp: 'sent to a collector', both: 'kept and sent', none: 'neither' },
});

const general: Readonly<Record<string, Setting>> = {
  enabled: { ...flag('Turns traces, metrics and the log store on. Log lines are written in any case.', 'OTEL_ENABLED'), 'x-env-words': DISABLED },
  service_name: name("Reported as `service`; the application's name when it is not written.", 'OTEL_SERVICE_NAME'),
  service_version: name('Reported as `service.version`.'),
  service_namespace: name('Reported as `service.namespace`.'),
  level: { enum: ['debug', 'info', 'warn', 'error'], description: 'Least level of the log; LOG_LEVEL, else info, when it is not written.' },
  format: {
    enum: ['json', 'text'], description: 'Form of log lines; when it is not written LOG_FORMAT, else text on a terminal and JSON everywhere else.',
  },
};

const otlp: Readonly<Record<string, Setting>> = {
  endpoint: {
    type: 'string', pattern: '^https?://', maxLength: 2000, examples: ['http://localhost:4317'], 'x-env': 'OTEL_ENDPOINT',
    description: 'Collector for otlp; `http://localhost:4317` for gRPC and `http://localhost:4318` for http when it is not written.',
  },
  endpoint_protocol: {
    enum: ['grpc', 'http', 'http/protobuf'], default: 'grpc', 'x-env': 'OTEL_EXPORTER_OTLP_PROTOCOL',
    description: 'How the collector is spoken to; `http` is protobuf over HTTP below `/v1/traces`, `/v1/metrics` and `/v1/logs`.',
  },
  headers: {
    type: 'object', default: {}, 'x-secret': true, additionalProperties: { type: 'string', minLength: 1 },
    description: 'Headers of every request to the collector, e.g. an API key.',
  },
  export_interval_ms: interval({ byDefault: 5000, variable: 'OTEL_BSP_SCHEDULE_DELAY' }, 'How long spans and log records wait for company before they are sent.'),
  export_timeout_ms: interval({ byDefault: 10_000, variable: 'OTEL_EXPORTER_OTLP_TIMEOUT', maximum: 120_000 }, 'How long a collector may take for one request, repetitions included.'),
};

const traces: Readonly<Record<string, Setting>> = {
  exporter: { ...exporter('Where spans go.', 'OTEL_EXPORTER_TYPE'), 'x-env-words': TRACES_EXPORTER },
  sampling_ratio: { ...ratio('Part of the traces that is recorded, decided when a trace begins.', 'OTEL_TRACES_SAMPLER_ARG'), 'x-env-words': SAMPLER },
  memory_max_spans: count(10_000, 'Most spans that are kept; the oldest go first.'),
  memory_max_bytes: bytes(64 * MIB, 'Most memory for spans, about; the oldest go first.'),
};

const metrics: Readonly<Record<string, Setting>> = {
  metrics_enabled: flag('Turns metrics on.'),
  metrics_exporter: exporter('Where metrics go.', 'OTEL_METRICS_EXPORTER'),
  metrics_retention_seconds: retention('How long the history of metrics is kept.'),
  metrics_max_count: count(10_000, 'Most points in the history of all series together; the oldest go first.'),
  metrics_export_interval_ms: interval({ byDefault: 60_000, variable: 'OTEL_METRIC_EXPORT_INTERVAL' }, 'How often metrics are sent.'),
};

const logs: Readonly<Record<string, Setting>> = {
  logs_enabled: flag('Keeps and sends log records. Log lines are written in any case.'),
  logs_exporter: exporter('Where log records go besides the output.', 'OTEL_LOGS_EXPORTER'),
  logs_max_count: count(1000, 'Most log records that are kept; the oldest go first.'),
  logs_max_bytes: bytes(32 * MIB, 'Most memory for log records, about; the oldest go first.'),
  logs_retention_seconds: retention('How long log records are kept.'),
  logs_sampling_ratio: ratio('Part of the log records that is kept and sent; those of one trace all or none.'),
};

/** Schema of the module's config. */
export const OTEL_CONFIG: ConfigSchema<OtelConfig> = {
  type: 'object', additionalProperties: false, properties: liveSettings({ ...general, ...otlp, ...traces, ...metrics, ...logs }),
};

/** What both HTTP and gRPC take; gRPC keeps `-bin` for bytes. */
const HEADER_NAME = /^(?!.*-bin$)[0-9A-Za-z_.-]+$/i;
const HEADER_VALUE = /^[\t\u0020-\u007e]*$/;

/** What a valid config still cannot mean. */
export function otelConflicts({ headers, endpoint }: OtelConfig): readonly ConfigConflict[] {
  const bad = Object.entries(headers).find(([header, value]) => !HEADER_NAME.test(header) || !HEADER_VALUE.test(value))?.[0];
  return [
    ...bad === undefined ? [] : [{ key: 'headers', problem: `"${bad}" cannot be sent as a header`, hint: 'names have letters, digits, -, _ and ., values printable ASCII' }],
    ...endpoint === undefined || URL.canParse(endpoint) ? [] : [{ key: 'endpoint', problem: 'it is not a URL', hint: 'write it like http://localhost:4317' }],
  ];
}

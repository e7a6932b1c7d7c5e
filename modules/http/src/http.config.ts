import { type ConfigSchema, liveSettings } from '@treadle/api';
import type { TrustProxy } from './request/client-address.js';

/** How a handler's answer is held to its `responseSchema`. */
export type ResponseValidation = 'enforce' | 'warn' | 'off';

/** Cross-origin rules of the engine or of one trigger. */
export interface CorsConfig {
  /** Exact origins (`https://app.example`), or `*` alone. */
  readonly allowed_origins: readonly string[];
  /** Default: the methods of the path. */
  readonly allowed_methods?: readonly string[];
  /** Default: those that the preflight asks for. */
  readonly allowed_headers?: readonly string[];
  readonly exposed_headers?: readonly string[];
  readonly credentials?: boolean;
  readonly max_age_seconds?: number;
}

/** A folder served below a path. */
export interface StaticMount {
  /** `/` or `/segments`. */
  readonly path: string;
  /** Relative to the application's root. */
  readonly dir: string;
  /** File of the folder for paths that name no file, for pages that route by themselves. */
  readonly fallback?: string;
}

/** `config` of `modules::http::HttpModule`. */
export interface HttpConfig {
  readonly port: number;
  readonly host: string;
  /** Default: in development. */
  readonly debug?: boolean;
  /** Default: in development. */
  readonly access_log?: boolean;
  readonly trust_parent: boolean;
  readonly trust_proxy: TrustProxy;
  readonly trace_health: boolean;
  readonly compression: boolean;
  readonly decompress_requests: boolean;
  readonly response_validation: ResponseValidation;
  readonly body_limit_bytes: number;
  readonly handler_timeout_ms: number;
  readonly headers_timeout_ms: number;
  readonly request_timeout_ms: number;
  readonly keep_alive_timeout_ms: number;
  readonly stream_idle_timeout_ms: number;
  readonly concurrency_request_limit: number;
  readonly waiting_request_limit: number;
  readonly wait_timeout_ms: number;
  readonly max_event_loop_delay_ms: number;
  readonly max_connections: number;
  readonly accept_handles: number;
  readonly max_buffered_bytes: number;
  readonly max_buffered_answer_bytes: number;
  readonly cors?: CorsConfig;
  readonly static?: readonly StaticMount[];
}

/** Largest body limit that a trigger or the engine may set. */
export const MAX_BODY_LIMIT = 64 * 1024 * 1024;
/** Longest time limit of a handler: 24 h. */
export const MAX_HANDLER_TIMEOUT_MS = 86_400_000;
/** Shortest time limit of a handler. */
export const MIN_HANDLER_TIMEOUT_MS = 100;

const integer = (value: number, bounds: readonly [number, number], more: ConfigSchema): ConfigSchema =>
  ({ type: 'integer', default: value, minimum: bounds[0], maximum: bounds[1], ...more });
const milliseconds = (value: number, bounds: readonly [number, number], description: string): ConfigSchema =>
  integer(value, bounds, { description, 'x-unit': 'ms', 'x-advanced': true });
const bytes = (value: number, bounds: readonly [number, number], description: string): ConfigSchema =>
  integer(value, bounds, { description, 'x-unit': 'bytes' });
const flag = (value: boolean, description: string): ConfigSchema => ({ type: 'boolean', default: value, description });
const texts = (description: string): ConfigSchema => ({ type: 'array', items: { type: 'string', minLength: 1 }, description });

/** Draft-07 schema of `CorsConfig`; also that of a trigger's `cors`, whose keys are camelCase. */
const CORS_SCHEMA: ConfigSchema<CorsConfig> = {
  type: 'object',
  description: 'Cross-origin requests; off when it is not written',
  additionalProperties: false,
  required: ['allowed_origins'],
  properties: {
    allowed_origins: {
      type: 'array', minItems: 1, description: 'Exact origins such as https://app.example, or * alone',
      items: { type: 'string', pattern: '^(\\*|https?://[^/\\s?#@]+)$' },
    },
    allowed_methods: texts('Methods that a preflight allows; the methods of the path when not written'),
    allowed_headers: texts('Request headers that a preflight allows; those asked for when not written'),
    exposed_headers: texts('Response headers that a page may read'),
    credentials: flag(false, 'Allow cookies and authorization; not together with *'),
    max_age_seconds: integer(600, [0, 86_400], { description: 'How long a browser may keep a preflight', 'x-unit': 'seconds' }),
  },
};

const STATIC_SCHEMA: ConfigSchema<readonly StaticMount[]> = {
  type: 'array',
  description: 'Folders served where no Step route matches',
  items: {
    type: 'object', additionalProperties: false, required: ['path', 'dir'],
    properties: {
      path: { type: 'string', pattern: '^/[^?#%*:\\s]*$', description: 'Where the folder appears, e.g. / or /assets' },
      dir: { type: 'string', minLength: 1, description: "Folder, relative to the application's root" },
      fallback: {
        type: 'string', pattern: '^[^./\\\\][^/\\\\]*$',
        description: 'File of the folder, e.g. index.html, for paths that name no file and have no extension, where the client takes HTML',
      },
    },
  },
};

/** Schema of the module's config: its validation, defaults and documentation. */
export const HTTP_CONFIG: ConfigSchema<HttpConfig> = {
  type: 'object',
  additionalProperties: false,
  properties: liveSettings({
    port: integer(3111, [0, 65_535], { description: 'Port; 0 takes a free one', 'x-env': 'PORT' }),
    host: { type: 'string', default: '127.0.0.1', minLength: 1, 'x-env': 'HOST', description: 'Address to listen on; 0.0.0.0 or :: for all' },
    debug: { type: 'boolean', description: 'Put the message of an unhandled exception into the response; only on a loopback host. Default: in development' },
    access_log: { type: 'boolean', description: 'Log each request with its status and time, /health excepted. Default: in development' },
    trust_parent: flag(false, 'Honour the sampled flag of an incoming traceparent header'),
    trust_proxy: {
      anyOf: [{ type: 'integer', minimum: 0, maximum: 32 }, { type: 'array', items: { type: 'string', minLength: 1 } }], default: 0,
      description: 'Proxies in front whose x-forwarded-for tells the address of the client: how many, or which (addresses, networks such as 10.0.0.0/8, loopback, private)',
    },
    trace_health: flag(false, 'Write a span for each request to /health'),
    compression: flag(true, 'gzip or br for compressible responses of 1 KiB and more'),
    decompress_requests: flag(true, 'Decode request bodies in gzip, deflate or br; body_limit_bytes counts what comes out. false answers 415'),
    response_validation: {
      type: 'string', enum: ['enforce', 'warn', 'off'], default: 'enforce',
      description: 'What happens when a result does not fit its responseSchema',
      'x-enum-docs': { enforce: '500 invalid_handler_result', warn: 'sent as it is, and logged', off: 'not checked' },
    },
    body_limit_bytes: bytes(1_048_576, [1, MAX_BODY_LIMIT], 'Largest request body; a trigger may set its own bodyLimit'),
    handler_timeout_ms: { ...milliseconds(30_000, [MIN_HANDLER_TIMEOUT_MS, MAX_HANDLER_TIMEOUT_MS],
      'Time limit of a handler; a trigger may set its own timeoutMs'), 'x-advanced': false },
    headers_timeout_ms: milliseconds(10_000, [100, 3_600_000], 'Time for the headers of a request to arrive'),
    request_timeout_ms: milliseconds(30_000, [100, 3_600_000], 'Time for a whole request to arrive'),
    keep_alive_timeout_ms: milliseconds(65_000, [100, 3_600_000], 'How long an idle connection stays open'),
    stream_idle_timeout_ms: milliseconds(60_000, [100, MAX_HANDLER_TIMEOUT_MS], 'Longest time in which a client reads nothing of an answer, or a streamed one has nothing to send'),
    concurrency_request_limit: integer(1024, [1, 1_000_000], { description: 'Requests in handlers at the same time' }),
    waiting_request_limit: integer(100, [0, 100_000], { description: 'Requests that may wait for a place', 'x-advanced': true }),
    wait_timeout_ms: milliseconds(1000, [0, 60_000], 'How long a request waits for a place or for a worker'),
    max_event_loop_delay_ms: milliseconds(200, [10, 60_000], 'Requests are refused while the p99 delay of the event loop exceeds this'),
    max_connections: integer(10_000, [1, 1_000_000], { description: 'Open connections', 'x-advanced': true }),
    accept_handles: integer(16, [1, 64], {
      description: 'Connections that are accepted in one turn of the event loop; 1 starts no helper process that copies the listening socket', 'x-advanced': true,
    }),
    max_buffered_bytes: { ...bytes(268_435_456, [1_048_576, 68_719_476_736], 'Request bodies held in memory at the same time'), 'x-advanced': true },
    max_buffered_answer_bytes: {
      ...bytes(268_435_456, [16_777_216, 68_719_476_736], 'Large answers held in memory at the same time, until their clients have read them'), 'x-advanced': true,
    },
    cors: CORS_SCHEMA,
    static: STATIC_SCHEMA,
  }),
};

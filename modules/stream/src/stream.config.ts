import { type ConfigSchema, liveSettings } from '@treadle/api';

/** `config` of `modules::stream::StreamModule`. */
export interface StreamConfig {
  readonly port: number;
  readonly host: string;
  /** Of the HTTP server, below which streams are served instead of at a port of their own. */
  readonly path?: string;
  readonly auth: 'required' | 'none';
  /** Exact origins, or `*` alone. Default: any loopback origin while bound to loopback, else none. */
  readonly allowed_origins?: readonly string[];
  readonly max_clients: number;
  readonly max_subscriptions: number;
  readonly max_messages_per_second: number;
  readonly max_queued_messages: number;
  readonly max_queued_bytes: number;
  readonly join_wait_ms: number;
  readonly ping_interval_ms: number;
  readonly retained_events: number;
  readonly retained_ms: number;
  readonly max_retained_bytes: number;
}

const whole = (value: number, bounds: readonly [number, number], more: ConfigSchema): ConfigSchema =>
  ({ type: 'integer', default: value, minimum: bounds[0], maximum: bounds[1], ...more });
const limit = (value: number, bounds: readonly [number, number], description: string): ConfigSchema =>
  whole(value, bounds, { description, 'x-advanced': true });

/** Schema of the module's config. */
export const STREAM_CONFIG: ConfigSchema<StreamConfig> = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...liveSettings({
      port: whole(3112, [0, 65_535], { description: 'Port; 0 takes a free one', 'x-env': 'STREAM_PORT' }),
      host: { type: 'string', default: '127.0.0.1', minLength: 1, 'x-env': 'HOST', description: 'Address to listen on; 0.0.0.0 or :: for all' },
      auth: {
        type: 'string', enum: ['required', 'none'], default: 'required',
        description: 'Whether an address that other machines reach serves streams that have neither authenticate nor canAccess',
        'x-enum-docs': { required: 'their joins are answered "unauthorized"', none: 'anyone may join them' },
      },
      allowed_origins: {
        type: 'array', description: 'Origins of web pages that may connect; any loopback origin on a loopback host when not written, else none',
        items: { type: 'string', pattern: '^(\\*|https?://[^/\\s?#@]+)$' },
      },
      max_clients: limit(10_000, [1, 1_000_000], 'Connections at the same time'),
      max_subscriptions: limit(100, [1, 10_000], 'Subscriptions of one connection'),
      max_messages_per_second: limit(50, [1, 10_000], 'Messages that one connection may send, on average'),
      max_queued_messages: limit(256, [1, 1_000_000], 'Messages that wait for a slow reader before it is cut off'),
      max_queued_bytes: { ...limit(1_048_576, [1024, 1_073_741_824], 'Bytes that wait for a slow reader before it is cut off'), 'x-unit': 'bytes' },
      join_wait_ms: {
        ...limit(30_000, [0, 600_000], 'How long clients wait for Step processes that are not there: at the upgrade, and with a join that "canAccess" decides'), 'x-unit': 'ms',
      },
      ping_interval_ms: { ...limit(25_000, [100, 3_600_000], 'Pause between two pings; a client that misses two is cut off'), 'x-unit': 'ms' },
      retained_events: limit(1_000, [0, 100_000], 'Events of a group that are kept for clients that reconnect'),
      retained_ms: { ...limit(300_000, [0, 86_400_000], 'How long they are kept'), 'x-unit': 'ms' },
      max_retained_bytes: { ...limit(67_108_864, [0, 68_719_476_736], 'What they may take of memory in all'), 'x-unit': 'bytes' },
    }),
    path: {
      type: 'string', pattern: '^/[^?#%*:\\s]+$', examples: ['/streams'],
      description: 'Path of the HTTP server where streams are served, in the place of a port of their own; host and port then mean nothing',
    },
    adapter: { type: 'object', 'x-slot': 'stream', description: 'Where streams are kept; the embedded store when it is not written.' },
  },
};

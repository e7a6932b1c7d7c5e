import type { ConfigSchema, SharedUse } from '@treadle/api';

/** The settings that every adapter of this package has: which server, and how it is spoken to. */
export interface RedisConfig {
  /** Takes the place of host, port, username, password, db and tls. */
  readonly url?: string;
  readonly host: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  readonly db: number;
  /** What all keys begin with, as `{prefix}:`. Engines with the same server, db and prefix share everything. */
  readonly prefix: string;
  readonly tls: 'off' | 'on' | 'verify';
  /** Whether a server is refused that may lose what it has acknowledged. */
  readonly durability: 'strict' | 'warn';
  /** So many replicas must have what is acknowledged. */
  readonly wait_replicas: number;
}

/** Values when YAML writes nothing. */
export const REDIS_DEFAULTS: RedisConfig = { host: '127.0.0.1', port: 6379, db: 0, prefix: 'treadle', tls: 'off', durability: 'warn', wait_replicas: 0 };

const DEFAULTS = REDIS_DEFAULTS;

/** Schema of the settings. */
export const RedisConfig: ConfigSchema<RedisConfig> = {
  type: 'object',
  additionalProperties: false,
  properties: {
    url: {
      type: 'string', pattern: '^rediss?://', 'x-secret': true,
      description: 'Address of the server, e.g. ${REDIS_URL}; rediss:// is encrypted, and the certificate has to be that of the host. Takes the place of host, port, username, password, db and tls.',
    },
    host: { type: 'string', minLength: 1, default: DEFAULTS.host, description: 'Host name or address of the server.' },
    port: { type: 'integer', minimum: 1, maximum: 65_535, default: DEFAULTS.port, description: 'Port of the server.' },
    username: { type: 'string', description: 'Whom to log in as; without it the default user.' },
    password: { type: 'string', 'x-secret': true, description: 'Password of the user, e.g. ${REDIS_PASSWORD}.' },
    db: { type: 'integer', minimum: 0, maximum: 1_000, default: DEFAULTS.db, description: 'Number of the database.' },
    prefix: {
      type: 'string', pattern: '^[A-Za-z0-9_.-]{1,40}$', default: DEFAULTS.prefix,
      description: 'What all keys begin with. Engines with the same server, db and prefix share everything.',
    },
    tls: {
      type: 'string', enum: ['off', 'on', 'verify'], default: DEFAULTS.tls, description: 'Whether the connection is encrypted.',
      'x-enum-docs': { off: 'Not encrypted.', on: 'Encrypted; the certificate is not checked.', verify: 'Encrypted, and the certificate has to be that of the host.' },
    },
    durability: {
      type: 'string', enum: ['strict', 'warn'], default: DEFAULTS.durability,
      description: 'Whether a server is refused that may lose what it has acknowledged (anything but appendonly yes with appendfsync always).',
      'x-enum-docs': { strict: 'The engine does not start on such a server.', warn: 'It starts; its health is "degraded" and says why.' },
    },
    wait_replicas: {
      type: 'integer', minimum: 0, maximum: 10, default: DEFAULTS.wait_replicas, 'x-advanced': true,
      description: 'How many replicas must have a write before it is acknowledged; with fewer the call fails.',
    },
  },
};

/** Where the server is. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly db: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly tls: RedisConfig['tls'];
}

export function addressOf(config: RedisConfig): RedisAddress {
  const { host, port, db, username, password, tls } = config;
  if (config.url === undefined || !URL.canParse(config.url)) return { host, port, db, username, password, tls };
  const url = new URL(config.url);
  const text = (part: string): string | undefined => (part === '' ? undefined : decodeURIComponent(part));
  return {
    host: url.hostname.replace(/^\[|\]$/g, '') || DEFAULTS.host, port: Number(url.port || DEFAULTS.port), db: Number(url.pathname.slice(1)) || 0,
    username: text(url.username), password: text(url.password), tls: url.protocol === 'rediss:' ? 'verify' : 'off',
  };
}

/** Names the database without its password: for messages, and to tell stores apart. */
export function databaseName(config: RedisConfig): string {
  const { host, port, db } = addressOf(config);
  return `Redis ${host}:${port}/${db}`;
}

/** The store that adapters of one prefix have in common. */
export const prefixStore = (config: RedisConfig): string => `${databaseName(config)}, prefix ${config.prefix}`;

/** Adapters of one prefix share its connections, so they want the same of it. */
export function sharedDatabase(config: RedisConfig): readonly SharedUse[] {
  const resource = prefixStore(config);
  const hint = 'adapters that share a prefix need the same value; write it once and refer to it by a YAML anchor';
  return (['tls', 'durability', 'wait_replicas'] as const).map((key) => ({ resource, key, value: String(config[key]), hint }));
}

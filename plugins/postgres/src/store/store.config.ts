import type { ConfigSchema, SharedUse } from '@treadle/api';

/** The settings that every adapter of this package has: which database, and how it is spoken to. */
export interface PostgresConfig {
  /** Takes the place of host, port, database, user and password. */
  readonly url?: string;
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password?: string;
  /** Where the tables lie. Engines with the same database and schema share everything. */
  readonly schema: string;
  /** Most connections of this engine, one for notifications not counted. */
  readonly pool_size: number;
  readonly tls: 'off' | 'on' | 'verify';
  /** Whether a server is refused that may lose what it has acknowledged. */
  readonly durability: 'strict' | 'warn';
}

/** Values when YAML writes nothing. */
export const POSTGRES_DEFAULTS: PostgresConfig = {
  host: '127.0.0.1', port: 5432, database: 'treadle', user: 'treadle', schema: 'treadle', pool_size: 5, tls: 'off', durability: 'warn',
};

const DEFAULTS = POSTGRES_DEFAULTS;

/** Schema of the settings. */
export const PostgresConfig: ConfigSchema<PostgresConfig> = {
  type: 'object',
  additionalProperties: false,
  properties: {
    url: {
      type: 'string', pattern: '^postgres(ql)?://', 'x-secret': true,
      description: 'Address of the database, e.g. ${DATABASE_URL}. Takes the place of host, port, database, user and password.',
    },
    host: { type: 'string', minLength: 1, default: DEFAULTS.host, description: 'Host name or address of the server, or the folder of its socket.' },
    port: { type: 'integer', minimum: 1, maximum: 65_535, default: DEFAULTS.port, description: 'Port of the server.' },
    database: { type: 'string', minLength: 1, default: DEFAULTS.database, description: 'Name of the database.' },
    user: { type: 'string', minLength: 1, default: DEFAULTS.user, description: 'Whom to log in as.' },
    password: { type: 'string', 'x-secret': true, description: 'Password of the user, e.g. ${PGPASSWORD}.' },
    schema: {
      type: 'string', pattern: '^[a-z_][a-z0-9_]{0,39}$', default: DEFAULTS.schema,
      description: 'Where the tables lie; it is created when it is not there. Engines with the same database and schema share everything.',
    },
    pool_size: {
      type: 'integer', minimum: 4, maximum: 100, default: DEFAULTS.pool_size, 'x-advanced': true,
      description: 'Most connections of this engine; there is one more for notifications.',
    },
    tls: {
      type: 'string', enum: ['off', 'on', 'verify'], default: DEFAULTS.tls, description: 'Whether the connection is encrypted.',
      'x-enum-docs': { off: 'Not encrypted.', on: 'Encrypted; the certificate is not checked.', verify: 'Encrypted, and the certificate has to be that of the host.' },
    },
    durability: {
      type: 'string', enum: ['strict', 'warn'], default: DEFAULTS.durability,
      description: 'Whether a server is refused that may lose what it has acknowledged (synchronous_commit or fsync is off).',
      'x-enum-docs': { strict: 'The engine does not start on such a server.', warn: 'It starts; its health is "degraded" and says why.' },
    },
  },
};

/** Names the database without its password: for messages, and to tell stores apart. */
export function databaseName(config: PostgresConfig): string {
  const { host, port, database } = addressOf(config);
  return `PostgreSQL ${host}:${port}/${database}`;
}

/** Adapters of one schema share its connections, so they want the same of it. */
export function sharedDatabase(config: PostgresConfig): readonly SharedUse[] {
  const resource = databaseStore(config);
  const hint = 'adapters that share a schema need the same value; write it once and refer to it by a YAML anchor';
  return (['pool_size', 'tls', 'durability'] as const).map((key) => ({ resource, key, value: String(config[key]), hint }));
}

/** The store that adapters of one schema have in common. */
export const databaseStore = (config: PostgresConfig): string => `${databaseName(config)}, schema ${config.schema}`;

/** Where the server is. */
export function addressOf(config: PostgresConfig): { readonly host: string; readonly port: number; readonly database: string } {
  if (config.url === undefined || !URL.canParse(config.url)) return config;
  const url = new URL(config.url);
  const database = decodeURIComponent(url.pathname.slice(1));
  return { host: url.hostname || url.searchParams.get('host') || DEFAULTS.host, port: Number(url.port || DEFAULTS.port), database: database || decodeURIComponent(url.username) };
}

import type { ConfigSchema, SharedUse } from '@treadle/api';

/** The settings that every adapter of this package has: which servers, and which store on them. */
export interface NatsConfig {
  /** One address or several, separated by commas. */
  readonly url: string;
  /** Names the store. Engines with the same servers and name share everything. */
  readonly name: string;
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  /** File of a user's JWT and seed. */
  readonly creds_file?: string;
  /** Copies of each stream in a cluster. */
  readonly replicas: number;
  /** The operator says that the servers sync each write (`sync_interval: always`); no client can see it. */
  readonly sync_always: boolean;
  /** Whether servers are refused that may lose what they have acknowledged. */
  readonly durability: 'strict' | 'warn';
}

/** Values when YAML writes nothing. */
export const NATS_DEFAULTS: NatsConfig = {
  url: 'nats://127.0.0.1:4222', name: 'treadle', replicas: 1, sync_always: false, durability: 'warn',
};

const DEFAULTS = NATS_DEFAULTS;

/** Schema of the settings. */
export const NatsConfig: ConfigSchema<NatsConfig> = {
  type: 'object',
  additionalProperties: false,
  properties: {
    url: {
      type: 'string', pattern: '^(nats|tls)://', default: DEFAULTS.url, 'x-secret': true,
      description: 'Address of the server, e.g. ${NATS_URL}; several of a cluster are separated by commas. tls:// encrypts.',
    },
    name: {
      type: 'string', pattern: '^[a-zA-Z][a-zA-Z0-9_]{0,39}$', default: DEFAULTS.name,
      description: 'Names the streams and subjects on the server. Engines with the same servers and name share everything.',
    },
    user: { type: 'string', minLength: 1, description: 'Whom to log in as.' },
    password: { type: 'string', 'x-secret': true, description: 'Password of the user, e.g. ${NATS_PASSWORD}.' },
    token: { type: 'string', 'x-secret': true, description: 'Token to log in with, in place of a user.' },
    creds_file: { type: 'string', minLength: 1, description: 'File with the JWT and the seed of a user, in place of a password.' },
    replicas: {
      type: 'integer', minimum: 1, maximum: 5, default: DEFAULTS.replicas,
      description: 'On how many servers of a cluster each stream lies, when it is created. 3 survives the loss of one server.',
    },
    sync_always: {
      type: 'boolean', default: DEFAULTS.sync_always,
      description: 'Write true where the server has "sync_interval: always" (nats-server 2.10 and later): no client can see it.',
    },
    durability: {
      type: 'string', enum: ['strict', 'warn'], default: DEFAULTS.durability,
      description: 'Whether a store is refused that a power cut may take acknowledged writes from (fewer than 3 replicas, and not sync_always).',
      'x-enum-docs': { strict: 'The engine does not start on such a store.', warn: 'It starts; its health is "degraded" and says why.' },
    },
  },
};

/** Addresses without what is secret in them. */
export function addressesOf(config: NatsConfig): readonly string[] {
  return config.url.split(',').map((each) => {
    const text = each.trim();
    if (!URL.canParse(text)) return text;
    const url = new URL(text);
    return `${url.protocol}//${url.hostname}:${url.port || 4222}`;
  });
}

/** Names the servers without secrets: for messages, and to tell stores apart. */
export function serverName(config: NatsConfig): string {
  return `NATS ${addressesOf(config).map((address) => address.replace(/^\w+:\/\//, '')).join(',')}`;
}

/** Adapters of one store share its connection, so they want the same of it. */
export function sharedServer(config: NatsConfig): readonly SharedUse[] {
  const resource = `${serverName(config)}, store ${config.name}`;
  const hint = 'adapters that share a store need the same value; write it once and refer to it by a YAML anchor';
  return (['replicas', 'sync_always', 'durability'] as const).map((key) => ({ resource, key, value: String(config[key]), hint }));
}

import type { ConfigSchema } from '@treadle/api';

/** Where the server is, and which queues on it are whose. */
export interface RabbitMqConfig {
  /** Takes the place of host, port, vhost, username, password and of whether it is encrypted. */
  readonly url?: string;
  readonly host: string;
  /** Default: 5672, encrypted 5671. */
  readonly port?: number;
  readonly vhost: string;
  readonly username: string;
  readonly password: string;
  readonly tls: 'off' | 'on' | 'verify';
  /** Begins the names of all queues and exchanges. Engines with the same server, virtual host and name share everything. */
  readonly name: string;
  /** Most deliveries of one subscription that an engine has from the server at a time. */
  readonly prefetch: number;
}

/** Values when YAML writes nothing. */
export const RABBITMQ_DEFAULTS: RabbitMqConfig = {
  host: '127.0.0.1', vhost: '/', username: 'guest', password: 'guest', tls: 'off', name: 'main', prefetch: 1_000,
};

const DEFAULTS = RABBITMQ_DEFAULTS;

/** Schema of the settings. */
export const RabbitMqConfig: ConfigSchema<RabbitMqConfig> = {
  type: 'object',
  additionalProperties: false,
  properties: {
    store: {
      type: 'object', 'x-slot': 'queue',
      description: 'Second store: subscriptions, delays, retries, fifo groups, dead letters, keys against repeats and what lies unrouted.',
      examples: [{ class: 'modules::queue::adapters::Postgres', config: { url: 'postgres://treadle@127.0.0.1/treadle' } }],
    },
    url: {
      type: 'string', pattern: '^amqps?://', 'x-secret': true,
      description: 'Address, e.g. ${RABBITMQ_URL}; takes the place of host, port, vhost, username and password. amqps:// encrypts.',
    },
    host: { type: 'string', minLength: 1, default: DEFAULTS.host, description: 'Name or address of the server.' },
    port: { type: 'integer', minimum: 1, maximum: 65_535, description: 'Default: 5672, and 5671 where it is encrypted.' },
    vhost: { type: 'string', minLength: 1, default: DEFAULTS.vhost, description: 'Virtual host on the server.' },
    username: { type: 'string', minLength: 1, default: DEFAULTS.username, description: 'Whom to log in as.' },
    password: { type: 'string', default: DEFAULTS.password, 'x-secret': true, description: 'Password of the user, e.g. ${RABBITMQ_PASSWORD}.' },
    tls: {
      type: 'string', enum: ['off', 'on', 'verify'], default: DEFAULTS.tls, description: 'Whether the connections are encrypted.',
      'x-enum-docs': {
        off: 'Not, unless the URL begins with amqps://; then the certificate is not looked at.', on: 'Encrypted, with any certificate.',
        verify: 'Encrypted; the certificate has to be that of the host, by an authority that Node.js trusts (NODE_EXTRA_CA_CERTS adds one).',
      },
    },
    name: {
      type: 'string', pattern: '^[a-zA-Z][a-zA-Z0-9_]{0,39}$', default: DEFAULTS.name,
      description: 'Names the queues and exchanges on the server (treadle.NAME.…). Engines with the same server, virtual host and name share everything.',
    },
    prefetch: {
      type: 'integer', minimum: 1, maximum: 65_535, default: DEFAULTS.prefetch,
      description: 'Most deliveries of one subscription that an engine has from the server at a time, those in handlers included. It takes no more than its Steps have room for.',
    },
  },
};

/** Where the server is; nothing secret. */
export interface ServerAddress {
  readonly encrypted: boolean;
  readonly host: string;
  readonly port: number;
  readonly vhost: string;
}

export function addressOf({ url, host, port, vhost, tls }: RabbitMqConfig): ServerAddress {
  if (url === undefined || !URL.canParse(url)) {
    const encrypted = tls !== 'off';
    return { encrypted, host, port: port ?? (encrypted ? 5_671 : 5_672), vhost };
  }
  const given = new URL(url);
  const encrypted = given.protocol === 'amqps:' || tls !== 'off';
  const path = decodeURIComponent(given.pathname.slice(1));
  return { encrypted, host: given.hostname, port: Number(given.port) || (encrypted ? 5_671 : 5_672), vhost: path === '' ? '/' : path };
}

/** Whom to log in as. */
export function loginOf({ url, username, password }: RabbitMqConfig): { readonly username: string; readonly password: string } {
  const given = url !== undefined && URL.canParse(url) ? new URL(url) : undefined;
  if (!given?.username) return { username, password };
  return { username: decodeURIComponent(given.username), password: decodeURIComponent(given.password) };
}

/** Names the server without secrets: for messages. */
export function serverName(config: RabbitMqConfig): string {
  const { host, port, vhost } = addressOf(config);
  return `RabbitMQ ${host}:${port}${vhost === '/' ? '' : ` (virtual host ${vhost})`}`;
}

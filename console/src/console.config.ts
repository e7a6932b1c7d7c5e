import { type ConfigConflict, type ConfigSchema, isLoopback, LEAST_TOKEN_LENGTH } from '@treadle/api';
import type { NamedToken, ProxySettings } from './access/caller.js';

/** What operators write for `modules::console::ConsoleModule`. */
export interface ConsoleConfig {
  readonly port: number;
  readonly host: string;
  /** Names, with or without a port, under which the console is reached besides loopback. */
  readonly allowed_hosts: readonly string[];
  readonly auth: { readonly token?: string; readonly tokens: readonly NamedToken[]; readonly none: boolean; readonly proxy?: ProxySettings };
  /** Whether the page is served; undefined: in development. */
  readonly page?: boolean;
  /** Which views of plugins the page shows. */
  readonly plugin_views: 'none' | 'declarative' | 'all';
  /** Empty, or a path without a slash at its end. */
  readonly base_path: string;
}

/** Pattern of a header's name. */
const HEADER = '^[A-Za-z0-9-]{1,64}$';

export const ConsoleConfig: ConfigSchema<ConsoleConfig> = {
  type: 'object',
  additionalProperties: false,
  properties: {
    port: {
      type: 'integer', minimum: 0, maximum: 65535, default: 3113, 'x-env': 'CONSOLE_PORT',
      description: 'TCP port of the admin API; 0 takes a free one.',
    },
    host: {
      type: 'string', minLength: 1, default: '127.0.0.1',
      description: 'Address to listen on; any but a loopback address needs ADMIN_TOKEN or auth.token, of at least 16 characters, or auth.proxy.',
    },
    allowed_hosts: {
      type: 'array', default: [], examples: [['admin.example.com']],
      items: { type: 'string', pattern: '^([A-Za-z0-9_.-]+|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?$' },
      description: 'Host names under which it is reached besides localhost, e.g. through a proxy. Requests with any other Host are refused.',
    },
    auth: {
      type: 'object', additionalProperties: false, default: { tokens: [], none: false }, description: 'What clients must show.',
      properties: {
        token: {
          type: 'string', minLength: 1, pattern: '^[!-~]+$', 'x-secret': true, 'x-env': 'ADMIN_TOKEN',
          description: 'Bearer token of every request; one is made at each start when it is not set. Its role is admin.',
        },
        tokens: {
          type: 'array', default: [], description: 'Further tokens, of narrower roles.',
          items: {
            type: 'object', additionalProperties: false, required: ['name', 'role', 'token'], description: 'A token and what it is for.',
            properties: {
              name: { type: 'string', minLength: 1, maxLength: 64, description: 'Stands in the audit log.' },
              role: { type: 'string', enum: ['viewer', 'operator', 'admin'], description: 'viewer sees, operator changes, admin also backs up.' },
              token: { type: 'string', minLength: 16, pattern: '^[!-~]+$', 'x-secret': true, description: 'The bearer token.' },
              payloads: { type: 'boolean', default: true, description: 'false: sees no payloads, such as bodies, messages and values, whatever the role.' },
            },
          },
        },
        proxy: {
          type: 'object', additionalProperties: false, required: ['secret'], description: 'A proxy that has people sign in, and says who they are.',
          properties: {
            secret: { type: 'string', minLength: 16, pattern: '^[!-~]+$', 'x-secret': true, description: 'What the proxy sends as "X-Console-Secret" with each request.' },
            user_header: { type: 'string', pattern: HEADER, default: 'X-Forwarded-User', description: 'The header that names who has signed in. The proxy must take away what clients send by it.' },
            role_header: { type: 'string', pattern: HEADER, description: 'The header that names their role, where the proxy knows it.' },
            role: { type: 'string', enum: ['viewer', 'operator', 'admin'], default: 'viewer', description: 'The role of those for whom there is none.' },
            payloads_header: { type: 'string', pattern: HEADER, description: 'The header that says, by true or false, whether they see payloads.' },
            payloads: { type: 'boolean', default: true, description: 'false: those for whom it says nothing see no payloads, such as bodies, messages and values.' },
          },
        },
        none: { type: 'boolean', default: false, description: 'Asks for no token; every program of this machine may do everything. On a loopback address only.' },
      },
    },
    page: { type: 'boolean', description: 'Serves the page of the console. Not set: in development only.' },
    plugin_views: {
      type: 'string', enum: ['none', 'declarative', 'all'], default: 'all',
      description: 'Which views of plugins the page shows: none, those without code of their own, or all.',
    },
    base_path: {
      type: 'string', default: '', pattern: '^(/[A-Za-z0-9._~-]+)*$', examples: ['/console'],
      description: 'Path below which a proxy shows the console.',
    },
  },
};

/** An address that others can reach needs a secret that others cannot read. */
export function configConflicts({ host, auth }: ConsoleConfig): readonly ConfigConflict[] {
  if (isLoopback(host)) return [];
  if (auth.none) return [OPEN_TO_OTHERS];
  if (auth.token !== undefined) return shortToken(host, auth.token);
  if (auth.proxy) return [];
  return [{
    key: 'host', problem: `"${host}" lets other machines reach the admin API, and no token is set`,
    hint: 'set ADMIN_TOKEN, or write these two lines:\n      auth:\n        token: ${ADMIN_TOKEN}',
  }];
}

const OPEN_TO_OTHERS: ConfigConflict = {
  key: 'auth', problem: 'auth.none lets everybody in who can reach the host', hint: 'take it away, or listen on 127.0.0.1',
};

function shortToken(host: string, { length }: string): readonly ConfigConflict[] {
  if (length >= LEAST_TOKEN_LENGTH) return [];
  return [{
    key: 'auth', problem: `"${host}" lets other machines reach the admin API, and its token has ${length} characters; ${LEAST_TOKEN_LENGTH} are the least`,
    hint: 'take a long one, e.g. from "openssl rand -base64 24"',
  }];
}

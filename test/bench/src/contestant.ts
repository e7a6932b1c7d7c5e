/** What is measured: a server, and which request it gets. */
export interface Contestant {
  readonly id: string;
  /** As the table names it. */
  readonly name: string;
  readonly server: ServerSpec;
  readonly request: 'get' | 'post';
  readonly path: string;
  /** Id of the contestant that ratios are taken against. */
  readonly baseline: string;
}

/** Two contestants may share a server: it is started once. */
export type ServerSpec =
  | { readonly kind: 'peer'; readonly script: string; readonly args?: readonly string[] }
  | { readonly kind: 'treadle'; readonly steps: number; readonly runtime: 'Node' | 'InProcess'; /** Default: true. */ readonly telemetry?: boolean };

const peer = (script: string, ...args: string[]): ServerSpec => ({ kind: 'peer', script, args });
const treadle = (steps: number, runtime: 'Node' | 'InProcess', telemetry = true): ServerSpec => ({ kind: 'treadle', steps, runtime, ...(telemetry ? {} : { telemetry }) });
const get = (id: string, name: string, server: ServerSpec): Contestant =>
  ({ id, name, server, request: 'get', path: '/hello', baseline: 'raw' });
const post = (id: string, name: string, server: ServerSpec): Contestant =>
  ({ id, name, server, request: 'post', path: '/orders', baseline: 'raw-post' });

/** In the order of the table. */
export const CONTESTANTS: readonly Contestant[] = [
  get('raw', 'raw node:http', peer('raw.mjs')),
  get('raw-otel', 'raw node:http + OpenTelemetry http', peer('with-otel.mjs', 'raw.mjs')),
  get('koa', 'koa', peer('koa.mjs')),
  get('koa-router-1', 'koa + @koa/router, 1 route', peer('koa-router.mjs', '1')),
  get('koa-router-100', 'koa + @koa/router, 100 routes', peer('koa-router.mjs', '100')),
  get('koa-router-1000', 'koa + @koa/router, 1,000 routes', peer('koa-router.mjs', '1000')),
  get('fastify', 'fastify', peer('fastify.mjs')),
  get('fastify-otel', 'fastify + OpenTelemetry http', peer('with-otel.mjs', 'fastify.mjs')),
  get('nest-fastify', 'NestJS on fastify', peer('nest-fastify.mjs')),
  get('moleculer', 'moleculer gateway -> TCP worker', peer('moleculer.mjs')),
  get('worker', 'Treadle, GET Step in a worker', treadle(1, 'Node')),
  get('worker-1000', 'Treadle, 1,000 Steps in a worker', treadle(1000, 'Node')),
  get('in-process', 'Treadle, GET Step in process', treadle(1, 'InProcess')),
  get('worker-off', 'the same in a worker, telemetry off', treadle(1, 'Node', false)),
  get('in-process-off', 'the same in process, telemetry off', treadle(1, 'InProcess', false)),
  post('raw-post', 'raw node:http + ajv, POST 1 KB', peer('raw-post.mjs')),
  post('fastify-post', 'fastify, POST 1 KB', peer('fastify.mjs')),
  post('worker-post', 'Treadle, POST Step in a worker', treadle(1, 'Node')),
  post('in-process-post', 'Treadle, POST Step in process', treadle(1, 'InProcess')),
];

const ORDER = JSON.stringify({
  title: 'A table for the reading room',
  description: 'An oak table, two metres long, with room for eight readers and their lamps. '.repeat(12).slice(0, 852),
  priority: 'normal',
  customer: { id: 'c-4711', name: 'Ada Lovelace', age: 36 },
  tags: ['furniture', 'oak', 'library'],
});

/** What is asked of a server. */
export type Question = Pick<Contestant, 'request' | 'path'>;

/** The bytes of a request; a POST brings an order of 1 KB. */
export function requestBytes({ request, path }: Question): string {
  const head = `${request === 'get' ? 'GET' : 'POST'} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n`;
  if (request === 'get') return `${head}\r\n`;
  return `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(ORDER)}\r\n\r\n${ORDER}`;
}

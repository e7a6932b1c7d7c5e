import { request as httpRequest } from 'node:http';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILTIN_PLUGINS } from '@treadle/engine';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import sqlite from '@treadle/plugin-sqlite';
import { expect } from 'chai';
import { type ClientOptions, WebSocket } from 'ws';
import stream from './index.js';
import { until, WireClient } from './stream.fixture.js';

const OURS = [stream, sqlite];
const builtins = [...BUILTIN_PLUGINS.filter(({ name }) => OURS.every((own) => own.name !== name)), ...OURS];
const adapter = { class: 'modules::stream::adapters::Sqlite', config: { store_method: 'in_memory' } };
const yaml = (config: object, http: object): string => JSON.stringify({
  engine: { drain_timeout_ms: 2000 },
  modules: [
    { class: 'modules::http::HttpModule', config: { host: '127.0.0.1', ...http, static: [{ path: '/', dir: 'public' }] } },
    { class: 'modules::stream::StreamModule', config: { adapter, ...config } },
    { class: 'modules::steps::StepsModule', config: { runtimes: [{ class: 'modules::runtime::adapters::Node', config: { workers: 1 } }] } },
  ],
});
const FILES: Readonly<Record<string, string>> = {
  'steps/board.stream.ts': "export const config = { name: 'board', canAccess: () => true };",
  'steps/post.step.ts': `
    export const config = { name: 'Post', triggers: [{ type: 'http', method: 'POST', path: '/post' }] };
    export const handler = async ({ body }: any, { streams }: any) => ({ status: 200, body: await streams.board.set('red', 'a', body) });`,
  'public/index.html': '<html>the page</html>',
};

describe('streams below a path of the HTTP server', function () {
  this.timeout(180_000);
  let root: string;
  let engine: TestComposition | undefined;
  const clients: WireClient[] = [];
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'treadle-one-port-'));
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(join(root, name, '..'), { recursive: true });
      writeFileSync(join(root, name), text);
    }
  });
  afterEach(async () => {
    for (const { socket } of clients.splice(0)) socket.terminate();
    await engine?.stop();
    rmSync(root, { recursive: true, force: true });
  });

  async function start(config: object = { path: '/streams' }, http: object = {}): Promise<string> {
    engine = await createTestComposition({ yaml: yaml(config, http), builtins, root });
    const url = engine.url('http').replace('0.0.0.0', '127.0.0.1');
    await until(async () => (await fetch(`${url}/post`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"n":0}' })).status === 200);
    return url;
  }

  for (const [where, config] of [['below a path', { path: '/streams' }], ['at a port of their own', { port: 0 }]] as const) {
    it(`tell authenticate who the client is behind trusted proxies: ${where}`, async () => {
      writeFileSync(join(root, 'steps/who.stream-auth.ts'), "export const authenticate = ({ ip }: { ip: string }) => ({ ip });");
      writeFileSync(join(root, 'steps/board.stream.ts'), "export const config = { name: 'board', canAccess: (_at: unknown, auth: any) => auth.ip === '203.0.113.9' };");
      const url = await start(config, { trust_proxy: ['loopback'] });
      const server = 'path' in config ? url : (engine as TestComposition).url('stream');
      const joined = async (forwarded: string): Promise<unknown> => {
        const client = await connect(server, { headers: { 'x-forwarded-for': forwarded } });
        return (await client.join('red')).event.type;
      };
      expect(await joined('203.0.113.9')).to.equal('sync');
      expect(await joined('203.0.113.9, 198.51.100.7')).not.to.equal('sync');
    });
  }

  async function connect(url: string, options: ClientOptions = {}): Promise<WireClient> {
    const client = new WireClient(new WebSocket(`${url.replace('http', 'ws')}/streams`, options));
    clients.push(client);
    await client.opened;
    return client;
  }

  const refusal = (url: string, options: ClientOptions = {}): Promise<number> =>
    connect(url, options).then(() => 101, (error: Error) => Number(/Unexpected server response: (\d+)/.exec(error.message)?.[1] ?? -1));

  it('serve page, API and stream at one address, which is the one announced', async () => {
    const url = await start();
    expect(engine?.url('stream')).to.equal(`${url.replace('http', 'ws')}/streams`);
    expect(await (await fetch(`${url}/`)).text()).to.include('the page');
    const client = await connect(url, { origin: url });
    client.send({ type: 'join', data: { subscriptionId: 's', streamName: 'board', groupId: 'red' } });
    await until(() => client.messages.length > 0);
    await fetch(`${url}/post`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"n":7}' });
    await until(() => JSON.stringify(client.messages).includes('"n":7'));
  });

  it('let in a page of the same address, also where other machines reach it, and no other page', async () => {
    const url = await start({ path: '/streams' }, { host: '0.0.0.0' });
    const { host } = new URL(url);
    expect(await refusal(url, { origin: url })).to.equal(101);
    expect(await refusal(url, { origin: `https://${host}` }), 'TLS ends in front').to.equal(101);
    expect(await refusal(url, { origin: 'https://shop.example', headers: { host: 'shop.example' } })).to.equal(101);
    for (const origin of ['https://evil.example', `http://${host}.evil.example`, 'null']) expect(await refusal(url, { origin }), origin).to.equal(403);
  });

  it('stay closed to a page that has its own name point to this machine', async () => {
    const url = await start();
    expect(await refusal(url, { origin: 'http://evil.example', headers: { host: 'evil.example' } })).to.equal(403);
  });

  it('leave other requests with an Upgrade header to the routes', async () => {
    const url = await start();
    for (const [path, upgrade, status] of [['/', 'h2c', 200], ['/', 'websocket', 200], ['/streams', 'h2c', 404], ['/nowhere', 'websocket', 404]] as const) {
      expect(await statusOf(`${url}${path}`, upgrade), `${upgrade} at ${path}`).to.equal(status);
    }
    expect((await fetch(`${url}/health`)).status).to.equal(200);
  });

  it('say goodbye at the drain, which then ends', async () => {
    const url = await start();
    const client = await connect(url);
    const stopping = engine?.stop();
    engine = undefined;
    expect(await client.closed).to.equal(1012);
    await stopping;
  });

  it('need an HTTP server', async () => {
    const problem = await createTestComposition({
      yaml: JSON.stringify({ engine: { implicit_modules: false }, modules: [{ class: 'modules::stream::StreamModule', config: { adapter, path: '/streams' } }] }), builtins, root,
    }).then(() => undefined, (error: Error) => error.message);
    expect(problem).to.include('there is no HTTP server in this configuration');
  });
});

function statusOf(url: string, upgrade: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { headers: { connection: 'Upgrade', upgrade } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.once('error', reject).end();
  });
}

import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StreamClient } from '@treadle/stream-client';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { AdminClient } from '../support/admin-client.js';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { requirePython } from '../support/require-python.js';
import { copyOfSample } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const FREE_PORTS = { PORT: '0', STREAM_PORT: '0', CONSOLE_PORT: '0', WORKER_PORT: '0' };

interface Example {
  readonly url: string;
  readonly admin: AdminClient;
}

describe('the examples', function () {
  this.timeout(120_000);
  afterEach(() => stopAllEngines());

  /** With the configuration of its own, where it has one. */
  async function started(name: string, env: Readonly<Record<string, string>> = {}, config: readonly string[] = []): Promise<Example> {
    const engine = new EngineProcess({ cwd: copyOfSample(name), args: config, env: { ...FREE_PORTS, ...env } });
    const url = await engine.ready();
    const admin = new AdminClient(engine);
    const { diagnostics } = await admin.call<{ diagnostics: readonly object[] }>('GET', '/steps');
    expect(diagnostics).to.deep.equal([]);
    return { url, admin };
  }

  const stored = async (admin: AdminClient, group: string, key: string): Promise<unknown> =>
    (await admin.call<{ value: unknown }>('GET', `/state/groups/${group}/keys/${key}`).catch(() => undefined))?.value;

  it('links: redirects, counts, and gives a code away once', async () => {
    const { url } = await started('links');
    const answers = await Promise.all([1, 2].map(() => request('POST', `${url}/links`, { url: 'https://example.com/a', code: 'mine' })));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409]);
    const { status, headers } = await request('GET', `${url}/mine`);
    expect([status, headers.location]).to.deep.equal([302, 'https://example.com/a']);
    await waitUntil('the visit', async () => ((await request('GET', `${url}/links/mine`)).json as { visits: number }).visits === 1);
    expect((await request('GET', `${url}/nothing`)).status).to.equal(404);
    expect((await request('POST', `${url}/links`, { url: 'javascript:alert(1)' })).status).to.equal(400);
  });

  it('chat: shows messages and events to those who are signed in, and to nobody else', async () => {
    const { url } = await started('chat', { SESSION_SECRET: 'sixteen characters or more' }, ['--config', 'config.yaml']);
    const signedIn = await request('POST', `${url}/api/sign-in`, { user: 'Ada' });
    const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? '';
    expect((await request('POST', `${url}/api/rooms/lobby/messages`, { text: 'Hello' })).status).to.equal(401);
    class WithCookie extends WebSocket {
      constructor(address: string) { super(address, { headers: { cookie } }); }
    }
    const client = new StreamClient({ url: `${url}/streams`, WebSocket: WithCookie });
    const stranger = new StreamClient({ url: `${url}/streams`, WebSocket });
    try {
      const room = client.subscribe<{ user: string; text: string }>({ streamName: 'chat', groupId: 'lobby' });
      const refused = stranger.subscribe({ streamName: 'chat', groupId: 'lobby' });
      await room.ready();
      const events: unknown[] = [];
      room.onEvent(({ type, data }) => events.push([type, data]));
      expect((await request('POST', `${url}/api/rooms/lobby/messages`, { text: 'Hello' }, { cookie })).status).to.equal(201);
      expect((await request('POST', `${url}/api/rooms/lobby/typing`, undefined, { cookie })).status).to.equal(204);
      await waitUntil('message and event', () => room.items.length === 1 && events.length === 1);
      expect(room.items.map(({ data: { user, text } }) => [user, text])).to.deep.equal([['Ada', 'Hello']]);
      expect(events).to.deep.equal([['typing', { user: 'Ada' }]]);
      expect([refused.status, refused.items]).to.deep.equal(['connecting', []]);
    } finally {
      client.close();
      stranger.close();
    }
    expect((await request('GET', `${url}/`)).text).to.include('chat.js');
    expect((await request('GET', `${url}/stream-client/index.js`)).status).to.equal(200);
  });

  it('orders: waits among the dead letters while the bank is away, and is shipped after a redrive', async () => {
    let bank = 503;
    const charges = new Set<unknown>();
    const server: Server = createServer((incoming, response) => {
      if (bank === 200) charges.add(incoming.headers['idempotency-key']);
      incoming.resume().on('end', () => response.writeHead(bank).end());
    }).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const { url, admin } = await started('orders', { BANK_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
      await admin.call('PUT', '/state/groups/stock/keys/lamp', { value: { left: 2, taken: {} } });
      const order = { id: 'o-1', article: 'lamp', count: 2, cents: 500 };
      for (const _time of [1, 2]) {
        const { status, text } = await request('POST', `${url}/orders`, order);
        expect(status, text).to.equal(202);
      }
      const [letter] = await admin.someLetters('ChargeCard');
      expect(letter).to.include({ reason: 'max_attempts', attempts: 3 });
      bank = 200;
      await admin.call('POST', '/queues/dead-letters/redrive', { step: 'ChargeCard' });
      await waitUntil('the shipped order', async () => (await stored(admin, 'orders', 'o-1') as { status?: string } | undefined)?.status === 'shipped');
      expect(await stored(admin, 'stock', 'lamp')).to.deep.equal({ left: 0, taken: { 'o-1': 2 } });
      expect([...charges]).to.deep.equal(['o-1']);
    } finally {
      server.close();
    }
  });

  it('images: makes a thumbnail of an upload, and says what is no picture', async function () {
    await requirePython(this);
    const { url, admin } = await started('images');
    const upload = async (content: Buffer | string): Promise<string> => {
      const body = new FormData();
      body.set('image', new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), '../../etc/passwd');
      const answer = await fetch(`${url}/images`, { method: 'POST', body });
      expect(answer.status).to.equal(202);
      return ((await answer.json()) as { id: string }).id;
    };
    const picture = await upload(Buffer.concat([Buffer.from('P6 200 100 255\n'), Buffer.alloc(60_000, 255)]));
    const png = await waitUntil('the thumbnail', async () => {
      const answer = await fetch(`${url}/images/${picture}`);
      return answer.status === 200 && Buffer.from(await answer.arrayBuffer());
    });
    expect([png.subarray(1, 4).toString(), png.readUInt32BE(16), png.readUInt32BE(20)]).to.deep.equal(['PNG', 64, 32]);
    expect(await stored(admin, 'images', picture)).to.include({ status: 'ready', width: 64, height: 32 });
    const text = await upload('no picture');
    await waitUntil('the refusal', async () => (await fetch(`${url}/images/${text}`)).status === 422);
    expect((await admin.someLetters('MakeThumbnail')).map(({ reason }) => reason)).to.deep.equal(['non_retryable']);
    expect((await fetch(`${url}/images/none`)).status).to.equal(404);
  });

  it('webhook: takes each signed event once, and nothing else', async () => {
    const secret = createHash('sha256').update('webhook').digest('hex');
    const { url, admin } = await started('webhook', { WEBHOOK_SECRET: secret });
    const send = async (event: object, key = secret): Promise<number> => {
      const signature = createHmac('sha256', key).update(JSON.stringify(event)).digest('hex');
      return (await request('POST', `${url}/webhooks/payments`, event, { 'x-signature': `sha256=${signature}` })).status;
    };
    const event = { id: 'e-1', type: 'payment.succeeded', invoice: 'i-1', cents: 500 };
    expect([await send(event), await send(event), await send({ ...event, id: 'e-2', type: 'payment.failed' })]).to.deep.equal([202, 202, 202]);
    expect([await send(event, 'another key'), await send({ id: 'e-3' })]).to.deep.equal([401, 400]);
    expect(await waitUntil('the payment', () => stored(admin, 'invoices', 'i-1'))).to.deep.equal({ 'e-1': 500 });
    await waitUntil('the end of all', async () => (await admin.gathered()).every((line) => line.endsWith(': 0')));
    expect(await stored(admin, 'invoices', 'i-1')).to.deep.equal({ 'e-1': 500 });
  });
});

import type { Duplex, Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { expect } from 'chai';
import { type RunningModule, runModule } from '../module-run.fixture.js';
import { openRaw, parseResponses, type RawResponse, sendRaw, until } from '../raw-client.fixture.js';

const H2C = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n';
const WEBSOCKET = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const post = (body: string, more = H2C): string => `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
const chunked = (...pieces: readonly string[]): string =>
  `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n${H2C}Transfer-Encoding: chunked\r\n\r\n${[...pieces, ''].map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')}`;

/** Where it is large it comes as a stream. */
async function textOf(body: unknown, streams: readonly Readable[] | undefined): Promise<string> {
  const { value } = body as { readonly value?: string };
  return value ?? readText(streams?.[0] as Readable);
}

for (const [where, path] of [['somebody takes WebSockets', '/live'], ['nobody takes WebSockets', undefined]] as const) {
  describe(`A request that asks for another protocol where ${where}`, () => {
    let run: RunningModule;
    /** Lets the slow answer go. */
    let release: () => void = () => undefined;
    let taken: Duplex[] = [];
    before(async () => {
      run = await runModule();
      run.hub.add({ method: 'POST', path: '/echo' }, async ({ body }, { streams }) => ({ status: 200, body: { kind: 'text', value: await textOf(body, streams) } }));
      run.hub.add({ method: 'GET', path: '/slow' }, () => new Promise((resolve) => { release = () => resolve({ status: 200, body: { kind: 'text', value: 'slow' } }); }));
      run.hub.add({ method: 'GET', path: '/header' }, ({ headers }) => ({ status: 200, body: { kind: 'text', value: String(headers['upgrade']) } }));
      if (path === undefined) return;
      run.module.upgrade(path, (_request, socket, head) => {
        taken.push(socket);
        socket.end(`HTTP/1.1 101 Switching Protocols\r\n\r\n${head}`);
      });
    });
    afterEach(() => {
      release();
      taken = [];
    });
    after(() => run.stop());

    const bodies = ({ responses }: { readonly responses: readonly RawResponse[] }): unknown[] => responses.map(({ status, body }) => (status === 200 ? body : status));

    it('has its whole body, however that is framed, and keeps its connection', async () => {
      const exchange = await sendRaw(run.port, [post('first'), chunked('se', 'cond'), post('third', '')].join(''), 300);
      expect(bodies(exchange)).to.deep.equal(['first', 'second', 'third']);
      expect(exchange.closed).to.equal(false);
      for (const { headers } of exchange.responses) expect(headers).to.include({ connection: 'keep-alive' }).and.not.have.property('upgrade');
    });

    it('has a body that comes later, in pieces', async () => {
      const socket = await openRaw(run.port);
      let text = '';
      socket.on('data', (piece) => { text += String(piece); });
      const large = 'x'.repeat(300_000);
      for (const [whole, end] of [[post(large), large], [chunked(large, 'y'), 'xy']] as const) {
        for (const at of [0, 100, 150, 190, 240, 300, 5_000]) {
          socket.write(whole.slice(at, { 0: 100, 100: 150, 150: 190, 190: 240, 240: 300, 300: 5_000 }[at]));
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        await until(() => text.endsWith(end));
      }
      socket.destroy();
      expect(bodies({ responses: parseResponses(text) })).to.deep.equal([large, `${large}y`]);
    });

    it('loses nothing that is pipelined behind it', async () => {
      const many = Array.from({ length: 30 }, (_, at) => [post(`b${at}`), get('/header', H2C), get('/header')]).flat().join('');
      const warnings: Error[] = [];
      const warned = (warning: Error): void => void warnings.push(warning);
      process.on('warning', warned);
      expect(bodies(await sendRaw(run.port, many, 500))).to.deep.equal(Array.from({ length: 30 }, (_, at) => [`b${at}`, 'undefined', 'undefined']).flat());
      process.off('warning', warned);
      expect(warnings).to.deep.equal([]);
    });

    it('waits for the answers of those before it', async () => {
      const asked = sendRaw(run.port, [get('/slow'), get('/header'), post('mine'), get('/header')].join(''), 600);
      await new Promise((resolve) => setTimeout(resolve, 200));
      release();
      expect(bodies(await asked)).to.deep.equal(['slow', 'undefined', 'mine', 'undefined']);
    });

    it('is not begun when its client leaves before its turn', async () => {
      const requests = (): number => run.hub.requests.length;
      const before = requests();
      const socket = await openRaw(run.port);
      socket.write(get('/slow') + post('mine'));
      await until(() => requests() === before + 1);
      socket.resetAndDestroy();
      await until(() => run.hub.running === 0);
      expect(requests()).to.equal(before + 1);
    });

    it('is told to go on where it waits with its body', async () => {
      const { text } = await sendRaw(run.port, post('later', `${H2C}Expect: 100-continue\r\n`), 300);
      expect(text).to.match(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /).and.match(/later$/);
    });

    it('is a plain one unless it asks for a WebSocket with GET, at a path that has some', async () => {
      const asked = [get('/header', WEBSOCKET), post('text', WEBSOCKET), get('/live', H2C), `POST /live HTTP/1.1\r\nHost: x\r\n${WEBSOCKET}Content-Length: 2\r\n\r\nhi`];
      expect(bodies(await sendRaw(run.port, asked.join(''), 300))).to.deep.equal(['undefined', 'text', 404, 404]);
    });

    it('is refused as it would be without', async () => {
      const { responses } = await sendRaw(run.port, `POST /echo HTTP/1.1\r\nHost: x\r\nHost: y\r\n${H2C}Content-Length: 3\r\n\r\nabc${get('/header')}`, 300);
      expect(responses.map(({ status }) => status)).to.deep.equal([400]);
    });

    if (path !== undefined) it('gets its WebSocket after the answers before it, with the bytes that follow', async () => {
      const asked = sendRaw(run.port, `${get('/slow')}${get('/live?x=1', WEBSOCKET)}frames`, 600);
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(taken).to.deep.equal([]);
      release();
      const { text } = await asked;
      expect(text).to.match(/^HTTP\/1.1 200 [^]*slowHTTP\/1.1 101 Switching Protocols\r\n\r\nframes$/);
    });
  });
}

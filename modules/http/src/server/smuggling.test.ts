import { expect } from 'chai';
import { type RunningModule, runModule } from '../module-run.fixture.js';
import { openRaw, sendRaw, until } from '../raw-client.fixture.js';

const POISON = 'GET /poison HTTP/1.1\r\nHost: x\r\n\r\n';

describe('Requests that two readers could understand differently', () => {
  let run: RunningModule;
  const seen: string[] = [];
  before(async () => {
    run = await runModule();
    for (const method of ['GET', 'POST']) {
      run.hub.add({ method, path: '/ok', rawBody: true }, (input) => {
        seen.push(input.path);
        return { status: 200, body: { kind: 'text', value: 'fine' } };
      });
    }
    run.hub.add({ method: 'GET', path: '/poison' }, () => {
      seen.push('/poison');
      return { status: 200, body: { kind: 'text', value: 'poisoned' } };
    });
  });
  beforeEach(() => seen.splice(0));
  after(() => run.stop());

  const forms: readonly [string, string][] = [
    ['Content-Length with Transfer-Encoding', `POST /ok HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${POISON}`],
    ['Transfer-Encoding with Content-Length', `POST /ok HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\n${POISON}`],
    ['two different Content-Lengths', `POST /ok HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello${POISON}`],
    ['two equal Content-Lengths', `POST /ok HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello${POISON}`],
    ['a Content-Length list', `POST /ok HTTP/1.1\r\nHost: x\r\nContent-Length: 5, 5\r\n\r\nhello${POISON}`],
    ['a Content-Length with a sign', `POST /ok HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\nhello${POISON}`],
    ['a Content-Length in hex', `POST /ok HTTP/1.1\r\nHost: x\r\nContent-Length: 0x5\r\n\r\nhello${POISON}`],
    ['Transfer-Encoding: xchunked', `POST /ok HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${POISON}`],
    ['Transfer-Encoding: chunked, identity', `POST /ok HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${POISON}`],
    ['two Transfer-Encodings', `POST /ok HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${POISON}`],
    ['a folded header', `POST /ok HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${POISON}`],
    ['a folded header line', `GET /ok HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n`],
    ['a space before the colon', `POST /ok HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n${POISON}`],
    ['bare line feeds', 'GET /ok HTTP/1.1\nHost: x\n\n'],
    ['a bare carriage return', `GET /ok HTTP/1.1\r\nHost: x\r\nA: b\rC: d\r\n\r\n`],
    ['a NUL in a header', 'GET /ok HTTP/1.1\r\nHost: x\r\nA: b\u0000c\r\n\r\n'],
    ['a NUL in a header name', 'GET /ok HTTP/1.1\r\nHost: x\r\nA\u0000: b\r\n\r\n'],
    ['HTTP/1.0 with Transfer-Encoding', `POST /ok HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${POISON}`],
    ['a chunk size of 0x1', `POST /ok HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n${POISON}`],
    ['a chunk size with a sign', `POST /ok HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n+1\r\na\r\n0\r\n\r\n${POISON}`],
    ['a chunk without its line end', `POST /ok HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n${POISON}`],
    ['a chunk extension of 20 KB', `POST /ok HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;${'e'.repeat(20_000)}\r\na\r\n0\r\n\r\n${POISON}`],
    ['two Host headers', `GET /ok HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n${POISON}`],
    ['a Host that differs from the target', `GET http://y/ok HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['HTTP/0.9', 'GET /ok\r\n\r\n'],
    ['HTTP/2.0', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown method', `BREW-IT /ok HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['bytes of TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000'],
  ];
  for (const [what, bytes] of forms) {
    it(`refuses ${what}, and what follows is not a request`, async () => {
      const { responses, text } = await sendRaw(run.port, Buffer.from(bytes, 'latin1'), 600);
      expect(responses[0]?.status, text).to.be.within(400, 431);
      expect(responses).to.have.length(1);
      expect(responses[0]!.headers['connection']).to.equal('close');
      expect(JSON.parse(responses[0]!.body)).to.have.property('code');
      expect(seen).to.not.include('/poison');
    });
  }

  it('answers an upgrade to h2c as the plain request it also is', async () => {
    const { responses } = await sendRaw(run.port,
      'GET /ok HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n', 300);
    expect(responses[0]).to.include({ status: 200, body: 'fine' });
    expect(responses[0]!.headers).to.not.have.property('upgrade');
  });

  it('answers a WebSocket handshake on a Step route as the plain request it also is', async () => {
    const { responses } = await sendRaw(run.port,
      'GET /ok HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n', 300);
    expect(responses[0]).to.include({ status: 200, body: 'fine' });
  });

  it('does not take the bytes behind a refused head for a request', async () => {
    await sendRaw(run.port, `POST /none HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n${POISON}`, 400);
    expect(seen).to.deep.equal([]);
  });

  it('answers pipelined requests in order', async () => {
    const { responses } = await sendRaw(run.port, `GET /ok HTTP/1.1\r\nHost: x\r\n\r\n${POISON}GET /none HTTP/1.1\r\nHost: x\r\n\r\n`, 300);
    expect(responses.map(({ status, body }) => `${status} ${body.slice(0, 8)}`)).to.deep.equal(['200 fine', '200 poisoned', '404 {"error"']);
  });

  it('lets a running request finish when garbage follows it, and answers the garbage with a closed connection', async () => {
    let release: (() => void) | undefined;
    run.hub.add({ method: 'GET', path: '/slow' }, async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return { status: 200, body: { kind: 'text', value: 'slow' } };
    });
    const socket = await openRaw(run.port);
    let text = '';
    let closed = false;
    socket.on('data', (piece: Buffer) => {
      text += piece.toString('latin1');
    });
    socket.on('close', () => {
      closed = true;
    });
    socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => release !== undefined);
    socket.write('\u0000garbage\r\n\r\n');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(text).to.equal('');
    release?.();
    await until(() => closed);
    expect(text.match(/HTTP\/1\.1/g)).to.have.length(1);
    expect(text).to.match(/^HTTP\/1\.1 200 [^]*connection: close[^]*slow$/i);
  });
});

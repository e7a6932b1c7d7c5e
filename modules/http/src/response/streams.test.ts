import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { type RunningModule, runModule } from '../module-run.fixture.js';
import { call, type ClientResponse, openRaw, postJson, sendRaw, until } from '../raw-client.fixture.js';

const EVENT_STREAM = { 'content-type': 'text/event-stream' };

/** A source that a test feeds. */
function source(): Readable {
  return new Readable({ read: () => undefined });
}

describe('Streamed responses', () => {
  let run: RunningModule;
  let stream: Readable;
  before(async () => {
    run = await runModule({ config: { stream_idle_timeout_ms: 400 } });
    run.hub.add({ method: 'GET', path: '/sse' }, () => ({ status: 200, headers: EVENT_STREAM, stream }));
    run.hub.add({ method: 'GET', path: '/bytes' }, () => ({ status: 201, stream }));
    run.hub.add({ method: 'GET', path: '/text' }, () => ({ status: 200, headers: { 'content-type': 'text/plain' }, stream }));
    run.hub.add({ method: 'GET', path: '/encoded' }, () => ({ status: 200, headers: { 'content-type': 'text/plain', 'content-encoding': 'identity' }, stream }));
  });
  after(() => run.stop());

  it('sends headers and pieces as they come', async () => {
    stream = source();
    const socket = await openRaw(run.port);
    let text = '';
    socket.on('data', (piece: Buffer) => {
      text += piece.toString('latin1');
    });
    socket.write('GET /sse HTTP/1.1\r\nHost: x\r\naccept-encoding: gzip\r\n\r\n');
    await until(() => text.includes('\r\n\r\n'));
    expect(text).to.match(/^HTTP\/1\.1 200/).and.match(/content-type: text\/event-stream/).and.not.match(/content-encoding/i);
    stream.push('data: 1\n\n');
    await until(() => text.includes('data: 1'));
    stream.push('data: 2\n\n');
    await until(() => text.includes('data: 2'));
    stream.push(null);
    await until(() => text.endsWith('0\r\n\r\n'));
    socket.destroy();
  });

  it('sends bytes with a default type', async () => {
    stream = Readable.from([Buffer.from('a'), Buffer.from('b')]);
    const response = await call(`${run.url}/bytes`);
    expect(response).to.include({ status: 201, text: 'ab' });
    expect(response.headers['content-type']).to.equal('application/octet-stream');
  });

  for (const [encoding, decode] of [['gzip', gunzipSync], ['br', brotliDecompressSync]] as const) {
    it(`compresses text with ${encoding}`, async () => {
      const text = 'as large as a body that did not fit into a message '.repeat(10_000);
      stream = Readable.from([Buffer.from(text)]);
      const response = await call(`${run.url}/text`, { headers: { 'accept-encoding': encoding } });
      expect(response.headers).to.include({ 'content-encoding': encoding, vary: 'accept-encoding' }).and.not.have.property('content-length');
      expect(response.bytes.length).to.be.below(text.length / 100);
      expect(decode(response.bytes).toString()).to.equal(text);
    });
  }

  it('compresses no bytes, and nothing that is encoded already or that the client does not take so', async () => {
    const encodingOf = async (path: string, accept: string): Promise<unknown> => {
      stream = Readable.from([Buffer.from('a'.repeat(5000))]);
      const response = await call(`${run.url}${path}`, { headers: { 'accept-encoding': accept } });
      expect(response.text).to.have.length(5000);
      return response.headers['content-encoding'];
    };
    expect([await encodingOf('/bytes', 'br'), await encodingOf('/text', ''), await encodingOf('/encoded', 'gzip')]).to.deep.equal([undefined, undefined, 'identity']);
  });

  it('sends each compressed piece as it comes, and cuts off what breaks', async () => {
    stream = source();
    const socket = await openRaw(run.port);
    const pieces: number[] = [];
    let closed = false;
    socket.on('data', (piece: Buffer) => pieces.push(piece.length)).on('error', () => undefined).on('close', () => { closed = true; });
    socket.write('GET /text HTTP/1.1\r\nHost: x\r\naccept-encoding: gzip\r\n\r\n');
    await until(() => pieces.length > 0);
    for (const piece of ['one', 'two']) {
      const before = pieces.length;
      stream.push(piece);
      await until(() => pieces.length > before);
    }
    stream.destroy(new Error('the source failed'));
    await until(() => closed);
  });

  it('reads a source no faster than the client reads', async () => {
    let made = 0;
    stream = new Readable({
      read() {
        made += 65_536;
        this.push(made > 200_000_000 ? null : Buffer.alloc(65_536));
      },
    });
    const socket = await openRaw(run.port);
    socket.pause();
    socket.write('GET /bytes HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => made > 0);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(made).to.be.below(50_000_000);
    socket.destroy();
    await until(() => stream.destroyed);
  });

  it('gives up on a client that does not read a large body, and not on one that keeps its connection', async () => {
    run.hub.add({ method: 'GET', path: '/large' }, () => ({ status: 200, body: { kind: 'text', value: 'x'.repeat(9_000_000) } }));
    const lazy = await openRaw(run.port);
    let closed = false;
    lazy.on('error', () => undefined);
    lazy.on('close', () => {
      closed = true;
    });
    lazy.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    lazy.pause();
    const keeping = await sendRaw(run.port, 'GET /large HTTP/1.1\r\nHost: x\r\n\r\n', 1200);
    expect(keeping.responses[0]!.body).to.have.length(9_000_000);
    expect(keeping.closed).to.equal(false);
    lazy.resume();
    await until(() => closed);
  });

  it('destroys the source when the client goes', async () => {
    stream = source();
    const socket = await openRaw(run.port);
    socket.write('GET /sse HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => run.hub.running === 0 && stream.listenerCount('data') > 0);
    socket.destroy();
    await until(() => stream.destroyed);
  });

  it('breaks the connection when the source fails, so that the response does not look complete', async () => {
    stream = source();
    const pending = sendRaw(run.port, 'GET /bytes HTTP/1.1\r\nHost: x\r\n\r\n', 3000);
    await until(() => stream.listenerCount('data') > 0);
    stream.push('half');
    setTimeout(() => stream.destroy(new Error('broken')), 30);
    const { text, closed } = await pending;
    expect(closed).to.equal(true);
    expect(text).to.contain('half').and.not.contain('0\r\n\r\n');
    expect(run.log.lines.at(-1)).to.include({ message: 'a streamed response broke off' });
  });

  it('gives up on a source that is silent for too long', async () => {
    stream = source();
    const { closed } = await sendRaw(run.port, 'GET /sse HTTP/1.1\r\nHost: x\r\n\r\n', 3000);
    expect(closed).to.equal(true);
    expect(stream.destroyed).to.equal(true);
  });

  it('answers HEAD without reading the source', async () => {
    stream = source();
    expect((await call(`${run.url}/bytes`, { method: 'HEAD' })).status).to.equal(201);
    expect(stream.destroyed).to.equal(true);
  });

  it('does not stream a body with 204', async () => {
    const quiet = source();
    run.hub.add({ method: 'GET', path: '/none' }, () => ({ status: 204, stream: quiet }));
    expect((await call(`${run.url}/none`)).status).to.equal(204);
    expect(quiet.destroyed).to.equal(true);
  });
});

describe('A client that reads nothing of a large answer', () => {
  const LARGE = 9_000_000;
  let run: RunningModule;
  before(async () => {
    run = await runModule({ config: { stream_idle_timeout_ms: 2_000, max_buffered_answer_bytes: 2 * LARGE } });
    run.hub.add({ method: 'GET', path: '/large' }, () => ({ status: 200, body: { kind: 'bytes', value: Buffer.alloc(LARGE) } }));
    run.hub.add({ method: 'GET', path: '/small' }, () => ({ status: 200, body: { kind: 'text', value: 'small' } }));
  });
  after(() => run.stop());

  /** Reads the beginning of an answer that is admitted, and no more. */
  async function stalled(): Promise<Socket> {
    for (;;) {
      const socket = await openRaw(run.port);
      socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
      const beginning = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
      socket.pause();
      if (beginning.toString('latin1').startsWith('HTTP/1.1 200')) return socket;
      socket.destroy();
    }
  }

  /** Two that have stalled at a time, and what a third is answered. On a busy machine one of them may be cut off before. */
  async function refusal(): Promise<{ readonly sockets: readonly Socket[]; readonly refused: ClientResponse }> {
    for (;;) {
      const sockets = [await stalled(), await stalled()];
      const refused = await call(`${run.url}/large`);
      if (refused.status === 503) return { sockets, refused };
      for (const socket of sockets) socket.destroy();
    }
  }

  it('counts with its bytes, so that others are refused, until it is cut', async () => {
    const { sockets, refused } = await refusal();
    expect([refused.status, refused.json.code, Number(refused.headers['retry-after'])]).to.satisfy(([status, code, seconds]: unknown[]) =>
      status === 503 && code === 'overloaded' && (seconds as number) >= 1 && (seconds as number) <= 5);
    expect((await call(`${run.url}/small`)).text).to.equal('small');
    await until(async () => (await call(`${run.url}/large`)).bytes.length === LARGE, 15_000);
    for (const socket of sockets) {
      let bytes = 0;
      socket.on('data', (piece: Buffer) => { bytes += piece.length; });
      // On a busy machine it may be cut off already.
      const closed = socket.closed ? undefined : new Promise((resolve) => socket.once('close', resolve));
      socket.on('error', () => undefined); // a reset is a cut, too
      socket.resume();
      await closed;
      expect(bytes).to.be.below(LARGE);
    }
  });

  it('is not cut while it reads slowly', async () => {
    const socket = await openRaw(run.port);
    let bytes = 0;
    socket.on('data', (piece: Buffer) => {
      bytes += piece.length;
      socket.pause();
      // Whole answers take twice as long as a client may be idle.
      setTimeout(() => socket.resume(), 25);
    });
    socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => bytes > LARGE, 15_000);
    socket.destroy();
  });
});

describe('A client that leaves', () => {
  let run: RunningModule;
  before(async () => {
    run = await runModule();
    run.hub.add({ method: 'GET', path: '/slow' }, () => new Promise(() => undefined));
    run.hub.add({ method: 'POST', path: '/upload' }, () => ({ status: 204 }));
  });
  after(() => run.stop());

  it('cancels the running handler', async () => {
    const socket = await openRaw(run.port);
    socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => run.hub.running === 1);
    socket.destroy();
    await until(() => run.hub.cancelled.length === 1);
    expect(run.hub.cancelled[0]).to.deep.include({ reason: 'client_gone', request: run.hub.requests.at(-1) });
    expect(run.log.lines).to.deep.equal([]);
  });

  it('cancels every pipelined request of its connection', async () => {
    run.hub.cancelled.splice(0);
    const socket = await openRaw(run.port);
    socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
    await until(() => run.hub.running === 3);
    socket.destroy();
    await until(() => run.hub.cancelled.length === 3);
    expect(new Set(run.hub.cancelled.map(({ request }) => request)).size).to.equal(3);
  });

  it('in the middle of its body starts no handler', async () => {
    const before = run.hub.requests.length;
    const socket = await openRaw(run.port);
    socket.write('POST /upload HTTP/1.1\r\nHost: x\r\ncontent-type: text/plain\r\ncontent-length: 100\r\n\r\nhalf');
    await new Promise((resolve) => setTimeout(resolve, 30));
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(run.hub.requests.length).to.equal(before);
    expect((await postJson(`${run.url}/upload`, 1)).status).to.equal(204);
  });

  it('after its answer cancels nothing', async () => {
    run.hub.cancelled.splice(0);
    await postJson(`${run.url}/upload`, 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(run.hub.cancelled).to.deep.equal([]);
  });
});

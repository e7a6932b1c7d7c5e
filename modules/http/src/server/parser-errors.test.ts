import { Readable } from 'node:stream';
import { expect } from 'chai';
import type { HttpMiddleware } from '@treadle/api';
import { type RunningModule, runModule } from '../module-run.fixture.js';
import { call, openRaw, sendRaw, until } from '../raw-client.fixture.js';

const GARBAGE = '\u0000garbage\r\n\r\n';
const GET_SLOW = 'GET /slow HTTP/1.1\r\nhost: x\r\n\r\n';
const CHUNKED = 'HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n';
const post = (path: string, body: string, more = ''): string =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\n${more}content-length: ${body.length}\r\n\r\n${body}`;

/** A connection, and what came back on it. */
interface Client {
  readonly text: () => string;
  readonly closed: () => boolean;
  /** Sends bytes; resolves when the server has seen them: a whole request of another connection came after them. */
  send(bytes: string): Promise<void>;
}

describe('Bytes that are no request', () => {
  let run: RunningModule;
  let release: (() => void) | undefined;
  let source: Readable | undefined;
  let entered = 0;
  let left = 0;

  before(async () => {
    const held: HttpMiddleware = {
      prefix: '/held',
      middleware: async (_context, next) => {
        entered++;
        await new Promise<void>((resolve) => { release = resolve; });
        await next();
        left++;
      },
    };
    run = await runModule({ middleware: [held], config: { body_limit_bytes: 1000 } });
    for (const method of ['GET', 'POST']) {
      run.hub.add({ method, path: '/slow' }, async () => {
        await new Promise<void>((resolve) => { release = resolve; });
        return { status: 200, body: { kind: 'text', value: 'slow' } };
      });
    }
    run.hub.add({ method: 'POST', path: '/soon' }, (input) => ({ status: 200, body: input.body as never }));
    run.hub.add({ method: 'POST', path: '/held/soon' }, () => ({ status: 204 }));
    run.hub.add({ method: 'POST', path: '/stream' }, () => {
      source = new Readable({ read: () => undefined });
      source.push('begun,');
      return { status: 200, stream: source };
    });
  });
  beforeEach(() => {
    release = source = undefined;
    entered = left = 0;
  });
  after(() => run.stop());

  async function connect(): Promise<Client> {
    const socket = await openRaw(run.port);
    let text = '';
    let closed = false;
    socket.on('data', (piece: Buffer) => { text += piece.toString('latin1'); });
    socket.on('error', () => undefined);
    socket.on('close', () => { closed = true; });
    const send = async (bytes: string): Promise<void> => {
      await new Promise((resolve) => socket.write(bytes, 'latin1', resolve));
      await call(`${run.url}/none`);
    };
    return { text: () => text, closed: () => closed, send };
  }

  const behind: readonly [string, string][] = [
    ['garbage', post('/soon', 'hi') + GARBAGE],
    ['a request after "connection: close"', post('/soon', 'hi', 'connection: close\r\n') + post('/soon', 'no')],
  ];
  for (const [what, bytes] of behind) {
    it(`do not take the answer of a request with a whole body away: ${what}`, async () => {
      const { responses, closed } = await sendRaw(run.port, Buffer.from(bytes, 'latin1'));
      expect([responses.map(({ status, body }) => `${status} ${body}`), closed]).to.deep.equal([['200 hi'], true]);
    });
  }

  for (const [method, request] of [['GET', GET_SLOW], ['POST', post('/slow', 'hi')]] as const) {
    it(`let a running ${method} finish, in however many pieces they come`, async () => {
      const client = await connect();
      await client.send(request);
      await client.send(GARBAGE);
      await client.send(GARBAGE);
      expect([client.text(), client.closed()]).to.deep.equal(['', false]);
      release?.();
      await until(() => client.closed());
      expect(client.text()).to.match(/^HTTP\/1\.1 200 [^]*connection: close[^]*slow$/i);
    });
  }

  const pipelined: readonly [string, string, string][] = [
    ['garbage', post('/soon', 'hi') + GARBAGE, '200'],
    ['a body that is too large', post('/soon', 'x'.repeat(2000)), '413'],
    ['a broken body', `POST /soon ${CHUNKED}2\r\nhi\r\nzz\r\n`, '400'],
    ['a refused head', 'GET /soon HTTP/1.1\r\n\r\n', '400'],
  ];
  for (const [what, bytes, status] of pipelined) {
    it(`and other faults let all requests before them have their answers: ${what}`, async () => {
      const client = await connect();
      await client.send(GET_SLOW + bytes);
      await until(() => release !== undefined);
      release?.();
      await until(() => client.closed());
      expect(client.text().match(/(?<=HTTP\/1\.1 )\d+/g)).to.deep.equal(['200', status]);
      expect(client.text().match(/connection: close/gi)).to.have.length(1);
    });
  }

  it('let a streamed answer go on to its end, which is that of the connection', async () => {
    const client = await connect();
    await client.send(post('/stream', 'hi'));
    await until(() => client.text().includes('begun,'));
    await client.send(GARBAGE);
    source?.push('ended');
    source?.push(null);
    await until(() => client.closed());
    expect(client.text()).to.match(/^HTTP\/1\.1 200 [^]*begun,[^]*ended\r\n0\r\n\r\n$/);
  });

  it('in a body are answered while a middleware has the request, and the middleware comes to its end', async () => {
    const client = await connect();
    await client.send(`POST /held/soon ${CHUNKED}2\r\nhi\r\n`);
    await until(() => entered === 1);
    await client.send('zz\r\n');
    await until(() => client.closed());
    expect(client.text()).to.match(/^HTTP\/1\.1 400 [^]*connection: close/i);
    release?.();
    await until(() => left === 1);
  });

  it('behind a refused body do not take its refusal away', async () => {
    const socket = await openRaw(run.port);
    let text = '';
    socket.on('error', () => undefined);
    // The client does not read until it has sent all.
    const written = new Promise((resolve) => socket.write(`POST /soon ${CHUNKED}7d0\r\n${'x'.repeat(2000)}${'z'.repeat(5_000_000)}`, resolve));
    await written;
    await call(`${run.url}/none`);
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.on('data', (piece: Buffer) => { text += piece.toString('latin1'); });
    await closed;
    expect(text).to.match(/^HTTP\/1\.1 413 /);
  });
});

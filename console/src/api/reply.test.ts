import { get, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { AdminStream } from '@treadle/api';
import { expect } from 'chai';
import { type ConsoleUnderTest, moduleOf, startConsole } from '../console.fixture.js';

const PIECES = 500;
const PIECE = 'x'.repeat(64 * 1024);

describe('answers in pieces', () => {
  let under: ConsoleUnderTest;
  let made = 0;
  let left = false;

  function* endless(): Generator<string> {
    try {
      for (made = 0; made < PIECES; made += 1) yield PIECE;
    } finally {
      left = true;
    }
  }

  before(async () => {
    const plugin = moduleOf('acme::pieces::PiecesModule', ({ admin }) => {
      admin.get('/page', async () => new AdminStream('application/json', ['{"a":', Buffer.from('1}')]));
      admin.get('/file', async () => new AdminStream('application/x-ndjson', ['one\n', 'two\n'], 'lines.ndjson'));
      admin.get('/large', async () => new AdminStream('text/plain', endless()));
      admin.get('/broken', async () => new AdminStream('text/plain', (function* broken() {
        yield 'begun';
        throw new Error('a fault');
      })()));
    });
    under = await startConsole({ plugins: [plugin], modules: '  - class: acme::pieces::PiecesModule' });
  });
  after(() => under.test.stop());

  const open = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<IncomingMessage> => new Promise((resolve, reject) => {
    const { port, token } = under;
    get({ host: '127.0.0.1', port, path: `/api/v1/modules/acme::pieces::PiecesModule${path}`, headers: { authorization: `Bearer ${token}`, ...headers }, agent: false }, resolve)
      .on('error', reject);
  });
  const bytes = async (response: IncomingMessage): Promise<Buffer> => Buffer.concat(await response.toArray() as Buffer[]);

  it('come as one, with the headers of every answer', async () => {
    const response = await open('/page', { 'accept-encoding': 'gzip' });
    expect(response.headers).to.include({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }).and.to.not.have.property('content-encoding');
    expect((await bytes(response)).toString()).to.equal('{"a":1}');
  });

  it('are files with a name, compressed for who accepts that', async () => {
    const packed = await open('/file', { 'accept-encoding': 'br, gzip' });
    expect(packed.headers).to.include({ 'content-encoding': 'gzip', 'content-disposition': 'attachment; filename="lines.ndjson"', vary: 'accept-encoding' });
    expect(gunzipSync(await bytes(packed)).toString()).to.equal('one\ntwo\n');
    for (const accepted of ['gzip;q=0', 'br', 'identity']) {
      const plain = await open('/file', { 'accept-encoding': accepted });
      expect([accepted, plain.headers['content-encoding'], (await bytes(plain)).toString()]).to.deep.equal([accepted, undefined, 'one\ntwo\n']);
    }
  });

  it('are made as they are taken, and no longer when the client has left', async () => {
    const response = await open('/large');
    await new Promise((resolve) => response.once('readable', resolve));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(made).to.be.within(1, PIECES - 1);
    response.destroy();
    for (let tries = 0; !left && tries < 5_000; tries += 1) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(left).to.equal(true);
    expect(made).to.be.below(PIECES);
  });

  it('break off when a piece cannot be made', async () => {
    const failure: unknown = await open('/broken').then(bytes).then(() => 'whole', (error: NodeJS.ErrnoException) => error.code);
    expect(failure).to.equal('ECONNRESET');
  });
});

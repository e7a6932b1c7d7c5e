import { once } from 'node:events';
import { mkdirSync, mkdtempSync, promises, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type RunningModule, runModule } from '../module-run.fixture.js';
import { call, openRaw, until } from '../raw-client.fixture.js';

const { open, realpath } = promises;
const LARGE = 64 * 1024 * 1024;

describe('A static file', () => {
  let run: RunningModule;
  let root: string;
  before(async () => {
    root = mkdtempSync(join(tmpdir(), 'treadle-faults-'));
    mkdirSync(join(root, 'public'));
    for (const name of ['index.html', 'app.js']) writeFileSync(join(root, 'public', name), 'text');
    run = await runModule({
      root, config: { static: [{ path: '/', dir: 'public', fallback: 'index.html' }] }, middleware: [{ prefix: '/around', middleware: (_context, next) => next() }],
    });
  });
  afterEach(() => {
    Object.assign(promises, { open, realpath });
    syncBuiltinESMExports();
  });
  after(async () => {
    await run.stop();
    rmSync(root, { recursive: true, force: true });
  });

  const failing = (name: 'open' | 'realpath', code: string): void => {
    Object.assign(promises, { [name]: () => Promise.reject(Object.assign(new Error(`${code}: it fails, ${name}`), { code })) });
    syncBuiltinESMExports();
  };

  for (const [code, status, name] of [
    ['EMFILE', 503, 'overloaded'], ['ENFILE', 503, 'overloaded'], ['ENOMEM', 503, 'overloaded'], ['EACCES', 403, 'forbidden'], ['EPERM', 403, 'forbidden'],
    ['EIO', 500, 'unhandled_exception'], ['ESTALE', 500, 'unhandled_exception'],
  ] as const) {
    it(`that cannot be opened for ${code} is answered with ${status}, and the log names it`, async () => {
      for (const operation of ['open', 'realpath'] as const) {
        run.log.lines.splice(0);
        failing(operation, code);
        const { status: answered, json, headers } = await call(`${run.url}/app.js`);
        expect([answered, json['code'], 'retry-after' in headers]).to.deep.equal([status, name, status === 503]);
        expect(run.log.lines).to.have.length(1);
        const file = join(root, 'public/app.js');
        expect(run.log.lines[0]).to.deep.include({ level: 'error', message: 'a static file could not be sent', fields: { file, error: `"${file}" cannot be read: ${code}: it fails, ${operation}` } });
        expect((await call(`${run.url}/settings`, { headers: { accept: 'text/html' } })).status, 'of a fallback').to.equal(status);
      }
    });
  }

  for (const code of ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP']) {
    it(`is missing for ${code}, without a word in the log`, async () => {
      run.log.lines.splice(0);
      failing('open', code);
      expect((await call(`${run.url}/app.js`)).status).to.equal(404);
      expect(run.log.lines).to.deep.equal([]);
    });
  }

  it('that fails while it is read is answered with 500, and closed', async () => {
    let closed = 0;
    Object.assign(promises, { open: async (...given: Parameters<typeof open>) => {
      const handle = await open(...given);
      const close = handle.close.bind(handle);
      return Object.assign(handle, { readFile: () => Promise.reject(Object.assign(new Error('EIO: it fails, read'), { code: 'EIO' })), close: () => { closed += 1; return close(); } });
    } });
    syncBuiltinESMExports();
    run.log.lines.splice(0);
    expect((await call(`${run.url}/app.js`)).status).to.equal(500);
    expect([run.log.lines[0]?.fields?.['error'], closed]).to.deep.equal([`"${join(root, 'public/app.js')}" cannot be read: EIO: it fails, read`, 1]);
  });

  for (const [what, path, more] of [['', '/large.bin', ''], [' of which a part is sent', '/large.bin', 'Range: bytes=5-\r\n'], [' behind a middleware', '/around/large.bin', '']] as const) {
    it(`that becomes shorter while it is sent${what} ends with its connection, and the log names it`, async () => {
      const file = join(root, 'public', path);
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, '');
      truncateSync(file, LARGE);
      run.log.lines.splice(0);
      const socket = await openRaw(run.port);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`);
      // The first bytes are here and are not read: the rest waits.
      await once(socket, 'readable');
      truncateSync(file, 100);
      let text = '';
      let bytes = 0;
      const closed = new Promise((resolve) => socket.on('error', () => undefined).on('close', resolve));
      socket.on('data', (piece: Buffer) => {
        bytes += piece.length;
        text = (text + piece.toString('latin1')).slice(-1000);
      });
      await closed;
      expect(bytes).to.be.lessThan(LARGE);
      expect(text.endsWith('0\r\n\r\n'), 'a proper end').to.equal(false);
      await until(() => run.log.lines.some(({ message }) => message === 'a streamed response broke off'));
      expect(run.log.lines.find(({ message }) => message === 'a streamed response broke off')?.fields).to.include({ file })
        .and.have.property('error').that.matches(/^it ended after \d+ of \d+ bytes: it became shorter/);
    });
  }
});

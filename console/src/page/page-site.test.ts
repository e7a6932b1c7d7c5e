import { createServer, get, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { mkdirSync, mkdtempSync, promises, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { fakeClock } from '@treadle/testing';
import { SessionCookie } from '../access/session-cookie.js';
import { Sessions } from '../access/sessions.js';
import { PageSite } from './page-site.js';

const PACKED = gzipSync('plain');

describe('the built page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  let server: Server;
  let base = '';
  before(async () => {
    mkdirSync(join(folder, 'app', 'assets'), { recursive: true });
    const files = { 'index.html': '<meta name="base" content=""><script src="./assets/a-1.js"></script>', 'assets/a-1.js.br': 'packed by brotli', 'assets/a-1.js.gz': PACKED, 'icon.svg': '<svg/>' };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'app', name), text);
    writeFileSync(join(folder, 'secret.txt'), 'not of the page');
    server = createServer((request, response) => {
      const site = new PageSite({ folder: join(folder, 'app'), base, sessions: new Sessions(fakeClock()), cookie: new SessionCookie(1) });
      void site.handle(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  afterEach(() => void (base = ''));

  const fetched = (path: string, headers = {}): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: string }> => new Promise((resolve, reject) => {
    get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', path, headers }, (response) => {
      let body = '';
      response.setEncoding('latin1').on('data', (piece: string) => void (body += piece)).on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
    }).on('error', reject);
  });

  it('is the same for every view, and asked for anew each time', async () => {
    for (const path of ['/', '/traces/abc', '/go/anything?x=1', '/index.html', '//', '//[', '/%']) {
      const { status, headers, body } = await fetched(path);
      expect([status, headers['cache-control'], body], path).to.deep.equal([200, 'no-cache', '<meta name="base" content=""><script src="/assets/a-1.js"></script>']);
      expect(headers['content-security-policy']).to.contain("script-src 'self'").and.contain("default-src 'none'").and.not.contain('unsafe');
      expect(headers).to.include({ 'cross-origin-opener-policy': 'same-origin', 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    }
  });

  it('is there for views whose path ends like that of a file', async () => {
    const html = { accept: 'text/html,*/*;q=0.8' };
    expect((await fetched('/queues/order.created', html)).status).to.equal(200);
    expect((await fetched('/assets/gone.js', html)).status).to.equal(404);
    expect((await fetched('/gone.svg', { accept: 'image/svg+xml' })).status).to.equal(404);
  });

  it('gives files in the form that the client takes, to keep for good', async () => {
    for (const [accepted, body, encoding] of [['br, gzip', 'packed by brotli', 'br'], ['gzip', PACKED.toString('latin1'), 'gzip'], ['identity', 'plain', undefined], ['br;q=0, gzip;q=0.5', PACKED.toString('latin1'), 'gzip'], ['br;q=0,gzip; q=0.0', 'plain', undefined], ['*', 'plain', undefined], ['xbr', 'plain', undefined]] as const) {
      const answer = await fetched('/assets/a-1.js', { 'accept-encoding': accepted });
      expect([answer.body, answer.headers['content-encoding'], answer.headers['cache-control'], answer.headers['content-type']])
        .to.deep.equal([body, encoding, 'public, max-age=31536000, immutable', 'text/javascript; charset=utf-8']);
    }
    expect((await fetched('/icon.svg')).headers).to.include({ 'content-type': 'image/svg+xml', 'cache-control': 'no-cache' });
  });

  it('gives nothing that is not of it', async () => {
    for (const path of ['/../secret.txt', '/assets/../../secret.txt', '/%2e%2e/secret.txt', '/assets/a-1.js.br', '/assets/a-1.js.gz', '/assets/b.js']) {
      expect((await fetched(path)).status, path).to.equal(404);
    }
  });

  it('finds itself below the path of a proxy', async () => {
    base = '/console';
    expect((await fetched('/traces/abc')).body).to.equal('<meta name="base" content="/console"><script src="/console/assets/a-1.js"></script>');
  });

  it('is not taken for one that is not built where its folder cannot be read at the moment, and is there once it can', async () => {
    const { readdir } = promises;
    const site = new PageSite({ folder: join(folder, 'app'), base, sessions: new Sessions(fakeClock()), cookie: new SessionCookie(1) });
    Object.assign(promises, { readdir: () => Promise.reject(Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })) });
    syncBuiltinESMExports();
    const ask = (): Promise<void> => site.handle({ url: '/icon.svg', method: 'HEAD', headers: {} } as IncomingMessage, answer as unknown as ServerResponse);
    const told: unknown[] = [];
    const answer = { writeHead: (status: number) => told.push(status), end: () => undefined };
    expect(await ask().catch(({ code }: NodeJS.ErrnoException) => code)).to.equal('EMFILE');
    Object.assign(promises, { readdir });
    syncBuiltinESMExports();
    await ask();
    expect(told).to.deep.equal([200]);
  });

  it('says how it is made when it is not there', async () => {
    rmSync(join(folder, 'app'), { recursive: true });
    const { status, body } = await fetched('/');
    expect([status, (JSON.parse(body) as { code: string }).code]).to.deep.equal([404, 'page_not_built']);
  });
});

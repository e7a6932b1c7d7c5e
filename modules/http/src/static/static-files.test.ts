import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { TreadleError } from '@treadle/api';
import { expect } from 'chai';
import { type RunningModule, runModule } from '../module-run.fixture.js';
import { call, sendRaw } from '../raw-client.fixture.js';

describe('Static files', () => {
  let run: RunningModule;
  let root: string;
  before(async () => {
    root = mkdtempSync(join(tmpdir(), 'treadle-static-'));
    for (const dir of ['public/docs', 'public/.git', 'public-secret', 'assets', 'empty']) mkdirSync(join(root, dir), { recursive: true });
    const files: Record<string, string> = {
      'public/index.html': '<h1>home</h1>', 'public/docs/index.html': '<h1>docs</h1>', 'public/app.js': `//${'x'.repeat(5000)}`,
      'public/.env': 'SECRET=1', 'public/.git/config': 'SECRET', 'public/a b.txt': 'spaced', 'public/taken': 'file', 'public/data.bin': 'x'.repeat(2_000_000),
      'assets/style.css': 'p{}', 'secret.txt': 'SECRET', 'public-secret/x.txt': 'SECRET', 'public/no-extension': 'SECRET?',
    };
    for (const [file, content] of Object.entries(files)) writeFileSync(join(root, file), content);
    symlinkSync('../secret.txt', join(root, 'public/link.txt'));
    symlinkSync('..', join(root, 'public/up'));
    symlinkSync('app.js', join(root, 'public/inside.js'));
    run = await runModule({ root, config: { static: [{ path: '/assets', dir: 'assets' }, { path: '/', dir: 'public' }] } });
    run.hub.add({ method: 'GET', path: '/taken' }, () => ({ status: 200, body: { kind: 'text', value: 'step' } }));
    run.hub.add({ method: 'POST', path: '/app.js' }, () => ({ status: 200, body: { kind: 'text', value: 'posted' } }));
  });
  after(async () => {
    await run.stop();
    rmSync(root, { recursive: true, force: true });
  });

  const served: readonly [string, string, string][] = [
    ['/', '<h1>home</h1>', 'text/html; charset=utf-8'],
    ['/index.html', '<h1>home</h1>', 'text/html; charset=utf-8'],
    ['/docs/', '<h1>docs</h1>', 'text/html; charset=utf-8'],
    ['/a%20b.txt', 'spaced', 'text/plain; charset=utf-8'],
    ['/assets/style.css', 'p{}', 'text/css; charset=utf-8'],
    ['/no-extension', 'SECRET?', 'application/octet-stream'],
    ['/taken', 'step', 'text/plain; charset=utf-8'],
  ];
  for (const [path, text, type] of served) {
    it(`serves ${path}`, async () => {
      const response = await call(run.url + path);
      expect(response).to.include({ status: 200, text });
      expect(response.headers['content-type']).to.equal(type);
    });
  }

  it('sends its fallback for pages that are no file, and for nothing else', async () => {
    const site = await runModule({ root, config: { static: [{ path: '/assets', dir: 'assets' }, { path: '/', dir: 'public', fallback: 'index.html' }] } });
    const status = async (path: string, accept = 'text/html,*/*', method = 'GET'): Promise<[number, string]> => {
      const { status: code, text } = await call(site.url + path, { method, headers: { accept } });
      return [code, text];
    };
    for (const path of ['/settings', '/users/7', '/users/7/']) expect(await status(path), path).to.deep.equal([200, '<h1>home</h1>']);
    expect((await status('/docs/'))[1]).to.equal('<h1>docs</h1>');
    for (const [path, accept] of [['/missing.js', undefined], ['/api/x', 'application/json'], ['/api/x', '*/*']] as const) expect((await status(path, accept))[0]).to.equal(404);
    expect((await status('/settings', 'text/html', 'POST'))[0]).to.equal(404);
    await site.stop();
    const error = await runModule({ root, config: { static: [{ path: '/', dir: 'public', fallback: 'none.html' }] } }).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(TreadleError).and.include({ code: 'CONFIG_BAD_VALUE' });
    expect((error as TreadleError).message).to.contain('static[0].fallback');
  });

  it('follows links that stay inside, sends large files whole and compresses', async () => {
    expect((await call(`${run.url}/inside.js`)).text).to.have.length(5002);
    const large = await call(`${run.url}/data.bin`);
    expect(large.text).to.have.length(2_000_000);
    expect(large.headers['content-length']).to.equal('2000000');
    const packed = await call(`${run.url}/app.js`, { headers: { 'accept-encoding': 'gzip' } });
    expect(gunzipSync(packed.bytes)).to.have.length(5002);
    expect(packed.headers).to.include({ 'x-content-type-options': 'nosniff', vary: 'accept-encoding' });
  });

  const sizes: readonly [string, number, string | undefined][] = [['below 1 KiB', 1023, undefined], ['of 1 KiB', 1024, 'gzip'], ['of nothing', 0, undefined]];
  for (const [what, size, encoding] of sizes) {
    it(`compresses a file ${what} with ${encoding ?? 'nothing'}`, async () => {
      writeFileSync(join(root, 'public/sized.txt'), 'x'.repeat(size));
      const { bytes, headers } = await call(`${run.url}/sized.txt`, { headers: { 'accept-encoding': 'gzip' } });
      expect(headers['content-encoding']).to.equal(encoding);
      expect(headers['vary']).to.equal(encoding && 'accept-encoding');
      expect(headers['content-length']).to.equal(String(bytes.length));
      expect(encoding ? gunzipSync(bytes) : bytes).to.have.length(size);
    });
  }

  it('redirects a folder to its slash', async () => {
    const response = await call(`${run.url}/docs`);
    expect(response.status).to.equal(301);
    expect(response.headers['location']).to.equal('/docs/');
    expect((await call(`${run.url}/docs?a=1&b=%2F`)).headers['location']).to.equal('/docs/?a=1&b=%2F');
  });

  const refused = [
    '/../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/..%5csecret.txt', '/docs/../../secret.txt', '//secret.txt', '//evil.example/',
    '/docs//index.html', '/.env', '/.git/config', '/%2eenv', '/link.txt', '/up/secret.txt', '/up/public/.env', '/%2fetc/passwd', '/index.html/',
    '/index.html%00.txt', '/public-secret/x.txt', '/../public-secret/x.txt', '/assets/../secret.txt', '/assets', '/assets/', '/none', '/docs%2findex.html',
    '/index.html%20', '/C:%5csecret.txt', `/${'a'.repeat(3000)}`,
  ];
  for (const path of refused) {
    it(`does not serve ${path.slice(0, 40)}`, async () => {
      const { responses, text } = await sendRaw(run.port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, 5000);
      expect(responses[0]!.status).to.be.oneOf([400, 404]);
      expect(text).to.not.contain('SECRET');
    });
  }

  it('answers conditional requests', async () => {
    const { headers } = await call(`${run.url}/app.js`);
    const etag = headers.etag!;
    const status = async (conditions: Record<string, string>): Promise<number> => (await call(`${run.url}/app.js`, { headers: conditions })).status;
    expect(etag).to.match(/^W\/"[0-9a-f]+-[0-9a-f]+"$/);
    expect(await status({ 'if-none-match': etag })).to.equal(304);
    expect(await status({ 'if-none-match': `"x", ${etag}` })).to.equal(304);
    expect(await status({ 'if-none-match': '*' })).to.equal(304);
    expect(await status({ 'if-none-match': etag, 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' }), 'the tag decides').to.equal(304);
    expect(await status({ 'if-none-match': etag, 'cache-control': 'no-cache' }), 'a forced reload').to.equal(200);
    expect(await status({ 'if-none-match': '"x"' })).to.equal(200);
    expect(await status({ 'if-none-match': '"x"', 'if-modified-since': headers['last-modified']! })).to.equal(200);
    expect(await status({ 'if-modified-since': headers['last-modified']! })).to.equal(304);
    expect(await status({ 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' })).to.equal(200);
    expect(await status({ 'if-modified-since': 'nonsense' })).to.equal(200);
  });

  it('answers HEAD, and other methods not at all', async () => {
    const head = await call(`${run.url}/index.html`, { method: 'HEAD' });
    expect(head).to.include({ status: 200, text: '' });
    expect(head.headers['content-length']).to.equal('13');
    expect((await call(`${run.url}/index.html`, { method: 'POST' })).status).to.equal(404);
    expect((await call(`${run.url}/app.js`, { method: 'POST' })).text).to.equal('posted');
    expect((await call(`${run.url}/app.js`)).status).to.equal(200);
    expect((await call(`${run.url}/data.bin`, { method: 'HEAD' })).headers['content-length']).to.equal('2000000');
  });

  const ranges: readonly [string, string, number, string | undefined, string][] = [
    ['/a%20b.txt', 'bytes=0-1', 206, 'bytes 0-1/6', 'sp'],
    ['/a%20b.txt', 'bytes=4-', 206, 'bytes 4-5/6', 'ed'],
    ['/a%20b.txt', 'bytes=-2', 206, 'bytes 4-5/6', 'ed'],
    ['/a%20b.txt', 'bytes=2-99', 206, 'bytes 2-5/6', 'aced'],
    ['/a%20b.txt', 'bytes=0-1,2-3', 206, 'bytes 0-3/6', 'spac'],
    ['/a%20b.txt', 'bytes=0-1,4-5', 200, undefined, 'spaced'],
    ['/a%20b.txt', 'lines=0-1', 200, undefined, 'spaced'],
    ['/a%20b.txt', 'nonsense', 200, undefined, 'spaced'],
    ['/app.js', 'bytes=0-2', 206, 'bytes 0-2/5002', '//x'],
    ['/data.bin', 'bytes=1999990-', 206, 'bytes 1999990-1999999/2000000', 'x'.repeat(10)],
  ];
  for (const [path, range, status, contentRange, text] of ranges) {
    it(`answers "${range}" of ${path} with ${status}`, async () => {
      const response = await call(run.url + path, { headers: { range, ...(status === 206 && { 'accept-encoding': 'gzip' }) } });
      expect(response).to.include({ status, text });
      expect(response.headers['content-range']).to.equal(contentRange);
      expect(response.headers).to.include({ 'accept-ranges': 'bytes', 'content-length': String(text.length) });
    });
  }

  it('refuses a range that the file does not have, saying its size', async () => {
    const response = await call(`${run.url}/a%20b.txt`, { headers: { range: 'bytes=6-' } });
    expect(response.status).to.equal(416);
    expect(response.headers['content-range']).to.equal('bytes */6');
    expect(JSON.parse(response.text)).to.include({ code: 'range_not_satisfiable', error: 'The file has no such range' });
  });

  it('gives a part only of the file that the client has the rest of', async () => {
    const { headers } = await call(`${run.url}/a%20b.txt`);
    const status = async (condition: string): Promise<number> =>
      (await call(`${run.url}/a%20b.txt`, { headers: { range: 'bytes=0-1', 'if-range': condition } })).status;
    expect(await status(headers['last-modified']!)).to.equal(206);
    expect(await status('Thu, 01 Jan 1970 00:00:00 GMT')).to.equal(200);
    expect(await status(headers.etag!)).to.equal(200);
    expect(await status('nonsense')).to.equal(200);
  });

  it('refuses a folder that is not there, naming the setting', async () => {
    const error: unknown = await runModule({ root, config: { static: [{ path: '/', dir: 'nowhere' }] } }).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(TreadleError).and.include({ code: 'CONFIG_BAD_VALUE' });
    expect((error as Error).message).to.equal(`modules[0].config.static[0].dir: there is no folder "${join(root, 'nowhere')}"`);
  });
});

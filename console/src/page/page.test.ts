import { expect } from 'chai';
import { once } from 'node:events';
import { fakeClock } from '@treadle/testing';
import { WebSocket } from 'ws';
import { until } from '../application.fixture.js';
import { type ConsoleOptions, type ConsoleUnderTest, moduleOf, type RawAnswer, startConsole } from '../console.fixture.js';

const OURS = 'Host: 127.0.0.1:{}';
const NAVIGATE = ['Sec-Fetch-Site: none', 'Sec-Fetch-Mode: navigate'];

describe('the page of the console', () => {
  let console: ConsoleUnderTest | undefined;
  afterEach(async () => {
    await console?.test.stop();
    console = undefined;
  });
  const start = async (options: ConsoleOptions = { config: 'page: true' }): Promise<ConsoleUnderTest> => (console = await startConsole(options));
  const get = async (path: string, ...headers: string[]): Promise<RawAnswer> => (console as ConsoleUnderTest).raw([`GET ${path} HTTP/1.1`, OURS, ...headers]);
  const link = async (): Promise<string> => {
    const { json } = await (console as ConsoleUnderTest).ask('POST', '/api/v1/session/link', {});
    return new URL((json as { url: string }).url).search;
  };
  const cookieOf = ({ headers }: RawAnswer): string => `Cookie: other=1; ${headers['set-cookie']?.split(';')[0] ?? ''}`;

  it('is for those who ask for it: in production nobody gets it by default', async () => {
    await start({});
    expect((await get('/')).status).to.equal(401);
    expect((await get('/api/v1/engine')).status).to.equal(401);
    const { status, json } = await (console as ConsoleUnderTest).ask('POST', '/api/v1/session/link', {});
    expect([status, (json as { code: string }).code]).to.deep.equal([409, 'page_off']);
  });

  it('opens by a link that works once, and shows its address without it', async () => {
    const { port } = await start();
    const search = await link();
    const opened = await get(`/traces/abc${search}&mode=flame`, ...NAVIGATE);
    expect([opened.status, opened.headers['location']]).to.deep.equal([303, '/traces/abc?mode=flame']);
    expect(opened.headers['set-cookie']).to.match(new RegExp(`^treadle_console_${port}=[\\w-]{32}; Path=/; HttpOnly; SameSite=Strict$`));
    expect((await get('/api/v1/engine', cookieOf(opened))).status).to.equal(200);
    const again = await get(`/${search}`, ...NAVIGATE);
    expect([again.status, again.headers['set-cookie']]).to.deep.equal([401, undefined]);
    expect(again.body).to.contain('treadle console');
    expect((await get(`/${search}`, cookieOf(opened), ...NAVIGATE)).status, 'whoever is in goes on').to.equal(303);
  });

  it('leads nowhere else', async () => {
    await start();
    expect((await get(`//evil.test/${await link()}`, ...NAVIGATE)).headers['location']).to.equal('/evil.test/');
    expect((await get(`/\\evil.test/${await link()}`, ...NAVIGATE)).headers['location']).to.equal('/evil.test/');
  });

  it('forgets links after 10 minutes', async () => {
    const clock = fakeClock();
    await start({ config: 'page: true', clock });
    const [search, second] = [await link(), await link()];
    await clock.advance(10 * 60_000);
    expect((await get(`/${search}`)).status).to.equal(303);
    await clock.advance(1);
    expect((await get(`/${second}`)).status).to.equal(401);
  });

  it('a session changes things only from a page of ours, until it ends', async () => {
    await start();
    const cookie = cookieOf(await get(`/${await link()}`, ...NAVIGATE));
    const end = async (...headers: string[]): Promise<number> => (await (console as ConsoleUnderTest).raw(
      ['POST /api/v1/session/end HTTP/1.1', OURS, 'Content-Type: application/json', 'X-Console: 1', 'Content-Length: 2', cookie, ...headers], '{}')).status;
    expect(await end()).to.equal(403);
    expect(await end('Origin: http://evil.test')).to.equal(403);
    expect((await get('/api/v1/engine', cookie)).status).to.equal(200);
    expect(await end('Origin: http://127.0.0.1:{}', 'Sec-Fetch-Site: same-origin')).to.equal(204);
    expect((await get('/api/v1/engine', cookie)).status).to.equal(401);
  });

  it('what a session has open ends with it, and nothing of others', async () => {
    const source = moduleOf('acme::source::SourceModule', ({ admin }) => admin.events('/watch', () => () => undefined));
    const { port } = await start({ config: 'page: true', plugins: [source], modules: '  - class: acme::source::SourceModule' });
    const origin = `http://127.0.0.1:${port}`;
    const [cookie, other] = [cookieOf(await get(`/${await link()}`, ...NAVIGATE)), cookieOf(await get(`/${await link()}`, ...NAVIGATE))].map((line) => line.slice('Cookie: '.length)) as [string, string];
    const open = async (by: string): Promise<{ readonly closed: number[]; readonly events: Response; readonly socket: WebSocket }> => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/api/v1/live`, { headers: { cookie: by, origin } });
      const closed: number[] = [];
      socket.on('close', (code) => closed.push(code));
      await once(socket, 'message');
      return { closed, socket, events: await fetch(`${origin}/api/v1/modules/acme::source::SourceModule/watch`, { headers: { cookie: by } }) };
    };
    const [ending, staying] = [await open(cookie), await open(other)];
    const whole = ending.events.text();
    await fetch(`${origin}/api/v1/session/end`, { method: 'POST', headers: { cookie, origin, 'content-type': 'application/json', 'x-console': '1' }, body: '{}' });
    await until('the end of the WebSocket', () => ending.closed.length === 1);
    expect(ending.closed).to.deep.equal([1008]);
    expect(await whole).to.equal(': open\n\n');
    expect([staying.closed.length, staying.socket.readyState]).to.deep.equal([0, WebSocket.OPEN]);
    staying.socket.terminate();
    await staying.events.body?.cancel();
  });

  for (const [who, headers, status] of [
    ['a page that rebinds its name', ['Host: rebind.test:{}'], 403], ['another site', [OURS, 'Origin: http://evil.test'], 403],
    ['a frame of another site', [OURS, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate'], 403],
    ['another application of this machine', [OURS, 'Sec-Fetch-Site: same-site'], 403],
  ] as const) {
    it(`gives no file, no redirect and no session to ${who}`, async () => {
      const { raw } = await start();
      for (const path of ['/', '/assets/x.js', '/go/abc', `/${await link()}`, '/x-assets/a']) {
        const answer = await raw([`GET ${path} HTTP/1.1`, ...headers]);
        expect([answer.status, answer.headers['set-cookie']], path).to.deep.equal([status, undefined]);
      }
    });
  }

  it('does not make the API open under another spelling', async () => {
    await start();
    for (const path of ['/api', '/api/', '/api/v1', '/api/v1/engine', '/api//v1/engine']) expect((await get(path)).status, path).to.equal(401);
    for (const path of ['/API/v1/engine', '//api/v1/engine', '/%61pi/v1/engine', '/x/../api/v1/engine']) {
      const { status, headers, body } = await get(path);
      // A view of the page, where that is built.
      expect(status === 404 || headers['content-type'] === 'text/html; charset=utf-8', path).to.equal(true);
      expect(body.includes('"dataDir"'), path).to.equal(false);
    }
  });

  it('auth.none asks for no token, and still for our host and origin', async () => {
    const { raw } = await start({ config: 'auth: { none: true }' });
    expect((await get('/api/v1/engine')).status).to.equal(200);
    expect((await get('/api/v1/engine', 'Authorization: Bearer wrong')).status).to.equal(401);
    expect((await raw(['GET /api/v1/engine HTTP/1.1', 'Host: rebind.test:{}'])).status).to.equal(403);
    expect((await get('/api/v1/engine', 'Sec-Fetch-Site: same-site')).status).to.equal(403);
  });

  it('auth.none is refused where other machines come in', async () => {
    const started = startConsole({ config: 'host: 0.0.0.0, auth: { none: true, token: a-secret-that-is-long }' });
    expect(String(await started.then(() => 'started', (error: Error) => error.message))).to.contain('auth.none lets everybody in');
  });
});

import { statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createTestComposition } from '@treadle/engine/testing';
import { expect } from 'chai';
import { type ConsoleUnderTest, moduleOf, startConsole } from './console.fixture.js';
import consolePlugin from './index.js';

const CALLED: string[] = [];
const PROBE = moduleOf('acme::probe::ProbeModule', ({ admin }) => {
  admin.get('/read', async () => void CALLED.push('read'));
  admin.post('/write', async () => void CALLED.push('write'));
  admin.events('/events', () => () => void CALLED.push('events'));
});
const PATH = '/api/v1/modules/acme::probe::ProbeModule';

type Headers = readonly string[];
const OURS = 'Host: 127.0.0.1:{}';
const JSON_BODY: Headers = ['Content-Type: application/json', 'X-Console: 1', 'Content-Length: 2'];

describe('the console keeps out', () => {
  let console: ConsoleUnderTest;
  before(async () => {
    console = await startConsole({ plugins: [PROBE], modules: '  - class: acme::probe::ProbeModule' });
  });
  after(() => console.test.stop());
  beforeEach(() => void CALLED.splice(0));

  const bearer = (): string => `Authorization: Bearer ${console.token}`;
  const get = async (headers: Headers, path = `${PATH}/read`): Promise<string> => {
    const { status, body } = await console.raw([`GET ${path} HTTP/1.1`, bearer(), ...headers]);
    return `${status} ${body === '' ? '' : (JSON.parse(body) as { code: string }).code}`.trim();
  };
  const post = async (headers: Headers): Promise<string> => {
    const { status, body } = await console.raw([`POST ${PATH}/write HTTP/1.1`, bearer(), ...headers], '{}');
    return `${status} ${body === '' ? '' : (JSON.parse(body) as { code: string }).code}`.trim();
  };

  it('a peer of another protocol, with a reason and one line in the log', async () => {
    const faults = (): unknown[] => console.test.logs.filter(({ message }) => message === 'a peer of the admin port breaks its protocol').map(({ fields }) => fields?.['fault']);
    for (let round = 0; round < 2; round++) {
      const { status, body } = await console.raw(['SSH-2.0-OpenSSH_9.9']);
      expect([status, (JSON.parse(body) as { detail: string }).detail.slice(0, 56)]).to.deep.equal([400, 'the admin port speaks HTTP; what came is no HTTP (HPE_IN']);
      const upgrade = await console.raw([`GET / HTTP/1.1`, OURS, 'Connection: Upgrade', 'Upgrade: websocket']);
      expect(upgrade.status).to.be.within(400, 499);
    }
    expect(faults()).to.deep.equal(['no HTTP (HPE_INVALID_METHOD); it begins with "SSH-2.0-OpenSSH_9.9\\r\\n\\r\\n"', 'an upgrade to "websocket"']);
  });

  it('nobody who changes something without a body, and so without its type', async () => {
    const change = async (...headers: Headers): Promise<number> => (await console.raw([`POST ${PATH}/write HTTP/1.1`, bearer(), OURS, 'X-Console: 1', ...headers])).status;
    expect([await change(), await change('Content-Type: text/plain'), CALLED]).to.deep.equal([204, 415, ['write']]);
  });

  it('nobody who asks as our page or the CLI does', async () => {
    expect(await get([OURS])).to.equal('204');
    expect(await get([OURS, 'Sec-Fetch-Site: same-origin'])).to.equal('204');
    expect(await get([OURS, 'Sec-Fetch-Site: none', 'Sec-Fetch-Mode: navigate'])).to.equal('204');
    expect(await get(['Host: LocalHost:{}', 'Origin: http://localhost:{}'])).to.equal('204');
    expect(await get(['Host: [::1]:{}'])).to.equal('204');
    expect(await post([OURS, ...JSON_BODY])).to.equal('204');
    expect(await post([OURS, ...JSON_BODY, 'Origin: http://127.0.0.1:{}', 'Sec-Fetch-Site: same-origin'])).to.equal('204');
    expect(CALLED).to.deep.equal(['read', 'read', 'read', 'read', 'read', 'write', 'write']);
  });

  const refused: readonly (readonly [string, () => Promise<string>, string])[] = [
    ['a page that rebinds its name, reading', () => get(['Host: rebind.test:{}']), '403 host_refused'],
    ['a page that rebinds its name, writing', () => post(['Host: rebind.test:{}', 'Origin: http://rebind.test:{}', ...JSON_BODY]), '403 host_refused'],
    ['a form of another site', () => post([OURS, 'Origin: http://evil.test', 'Sec-Fetch-Site: cross-site', 'Content-Type: text/plain', 'Content-Length: 2']), '403 origin_refused'],
    ['a fetch of another site that sends all we ask for', () => post([OURS, 'Origin: http://evil.test', 'Sec-Fetch-Site: cross-site', ...JSON_BODY]), '403 origin_refused'],
    ['a page without an origin', () => get([OURS, 'Origin: null']), '403 origin_refused'],
    ['an image of another site', () => get([OURS, 'Sec-Fetch-Site: cross-site']), '403 site_refused'],
    ['another application of this machine, reading', () => get([OURS, 'Sec-Fetch-Site: same-site']), '403 site_refused'],
    ['another application of this machine, writing', () => post([OURS, 'Origin: http://127.0.0.1:3000', 'Sec-Fetch-Site: same-site', ...JSON_BODY]), '403 origin_refused'],
    ['our origin over https', () => get([OURS, 'Origin: https://127.0.0.1:{}']), '403 origin_refused'],
    ['a script that was typed into the address bar', () => get([OURS, 'Sec-Fetch-Site: none', 'Sec-Fetch-Mode: cors']), '403 site_refused'],
    ['a form that was typed into the address bar', () => post([OURS, 'Sec-Fetch-Site: none', 'Sec-Fetch-Mode: navigate', ...JSON_BODY]), '403 site_refused'],
    ['another port', () => get(['Host: 127.0.0.1:1']), '403 host_refused'],
    ['a host without a port', () => get(['Host: 127.0.0.1']), '403 host_refused'],
    ['a name that only begins like ours', () => get(['Host: localhost.evil.test:{}']), '403 host_refused'],
    ['a name with a dot at its end', () => get(['Host: localhost.:{}']), '403 host_refused'],
    ['no host', () => get([]), '403 host_refused'],
    ['two hosts', () => get([OURS, 'Host: rebind.test:{}']), '403 host_refused'],
    ['a whole address as target', () => get([OURS], 'http://rebind.test/api/v1/engine'), '400 bad_target'],
    ['another content type', () => post([OURS, 'Content-Type: text/plain', 'X-Console: 1', 'Content-Length: 2']), '415 unsupported_media_type'],
    ['another character set', () => post([OURS, 'Content-Type: application/json; charset=utf-16', 'X-Console: 1', 'Content-Length: 2']), '415 unsupported_media_type'],
    ['no content type', () => post([OURS, 'X-Console: 1', 'Content-Length: 2']), '415 unsupported_media_type'],
    ['a packed body', () => post([OURS, ...JSON_BODY, 'Content-Encoding: gzip']), '415 unsupported_media_type'],
    ['no header of ours', () => post([OURS, 'Content-Type: application/json', 'Content-Length: 2']), '403 header_missing'],
    ['another value of it', () => post([OURS, 'Content-Type: application/json', 'X-Console: 0', 'Content-Length: 2']), '403 header_missing'],
  ];
  for (const [who, ask, answer] of refused) {
    it(who, async () => {
      expect(await ask()).to.equal(answer);
      expect(CALLED).to.deep.equal([]);
    });
  }

  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
  for (const [who, headers, answer] of [
    ['a WebSocket of another site', [OURS, 'Origin: http://evil.test'], '403 origin_refused'],
    ['a WebSocket of a page that rebinds its name', ['Host: rebind.test:{}', 'Origin: http://rebind.test:{}'], '403 host_refused'],
    ['a WebSocket of ours at another path', [OURS, 'Origin: http://127.0.0.1:{}'], '400 upgrade_refused'],
    ['a WebSocket of another application of this machine', [OURS, 'Origin: http://127.0.0.1:3000'], '403 origin_refused'],
    ['a WebSocket of a program at another path', [OURS], '400 upgrade_refused'],
  ] as const) {
    it(who, async () => expect(await get([...headers, ...upgrade], `${PATH}/events`)).to.equal(answer));
  }

  it('nobody who asks for a protocol that the console does not speak: it is answered as if it had not, with its body', async () => {
    const h2c = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA'];
    expect(await get([OURS, ...h2c])).to.equal('204');
    expect(await post([OURS, ...h2c, ...JSON_BODY])).to.equal('204');
    expect(CALLED).to.deep.equal(['read', 'write']);
    expect(await get([OURS, ...h2c, 'Origin: http://evil.test'])).to.equal('403 origin_refused');
  });

  it('preflights, without a word on what would be allowed', async () => {
    const answer = await console.raw([
      `OPTIONS ${PATH}/write HTTP/1.1`, OURS, 'Origin: http://evil.test', 'Access-Control-Request-Method: POST', 'Access-Control-Request-Headers: x-console',
    ]);
    expect(answer.status).to.equal(403);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).to.deep.equal([]);
  });

  const tokens: readonly (readonly [string, Headers])[] = [
    ['no token', []], ['an empty one', ['Authorization: Bearer']], ['a wrong one', ['Authorization: Bearer wrong']],
    ['one in another scheme', ['Authorization: Basic {token}']], ['one in the query', ['X: 1']],
    ['one that goes on', ['Authorization: Bearer {token}x']],
  ];
  for (const [what, headers] of tokens) {
    it(`everything with ${what}, whatever the path`, async () => {
      const filled = headers.map((line) => line.replace('{token}', console.token));
      for (const path of [`${PATH}/read?token=${console.token}`, '/api/v1/engine', '/API/v1/engine', '/', '/nowhere', '//api/v1/engine']) {
        const answer = await console.raw([`GET ${path} HTTP/1.1`, OURS, ...filled]);
        expect([answer.status, answer.headers['www-authenticate']], path).to.deep.equal([401, 'Bearer']);
        expect(JSON.parse(answer.body)).to.have.property('code', 'unauthorized');
      }
      expect((await console.raw([`POST ${PATH}/write HTTP/1.1`, OURS, ...JSON_BODY, ...filled], '{}')).status).to.equal(401);
      expect(CALLED).to.deep.equal([]);
    });
  }

  it('frames, sniffing and caches', async () => {
    for (const answer of [await console.ask('GET', '/api/v1/engine'), await console.raw(['GET / HTTP/1.1', OURS])]) {
      expect(answer.headers).to.include({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
      expect(answer.headers['content-security-policy']).to.contain("default-src 'none'").and.contain("frame-ancestors 'none'");
    }
  });

  it('other users of the machine: the token is in a file of the owner alone', () => {
    const file = join(console.test.dataDir, 'admin.token');
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(console.token).to.match(/^[\w-]{32}$/);
    expect(JSON.stringify(console.test.logs)).not.to.contain(console.token);
  });

  it('listens on both loopback addresses, where the machine has both', async () => {
    const socket = connect(console.port, '::1');
    const outcome = await new Promise<string>((resolve) => {
      socket.on('connect', () => resolve('connected'));
      socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(String(code)));
    });
    socket.destroy();
    expect(outcome).to.be.oneOf(['connected', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'ENETUNREACH']);
  });
});

describe('the console beyond this machine', () => {
  const yaml = (config: string): string => `engine: { implicit_modules: false }\nmodules: [{ class: modules::console::ConsoleModule, config: ${config} }]\n`;
  const problem = async (config: string, env: Record<string, string> = {}): Promise<string> => createTestComposition({ builtins: [consolePlugin], yaml: yaml(config), env })
    .then(async (engine) => `started ${String((await engine.stop()).errors.length)}`, (error: Error) => error.message);

  it('does not start on another address without a token, and says the two lines that mend it', async () => {
    for (const host of ['0.0.0.0', '"::"', '10.1.2.3', 'admin.example.com']) {
      expect(await problem(`{ host: ${host}, port: 0 }`), host).to.contain('CONFIG_CONFLICT')
        .and.contain('lets other machines reach the admin API, and no token is set')
        .and.contain('hint: set ADMIN_TOKEN, or write these two lines:\n      auth:\n        token: ${ADMIN_TOKEN}');
    }
  });

  it('starts there with ADMIN_TOKEN or auth.token', async () => {
    expect(await problem('{ host: 0.0.0.0, port: 0 }', { ADMIN_TOKEN: 'a-secret-that-is-long' })).to.equal('started 0');
    expect(await problem('{ host: 0.0.0.0, port: 0, auth: { token: a-secret-that-is-long } }')).to.equal('started 0');
  });

  it('does not start there with a token that can be guessed', async () => {
    expect(await problem('{ host: 0.0.0.0, port: 0, auth: { token: x } }')).to.contain('CONFIG_CONFLICT')
      .and.contain('its token has 1 characters; 16 are the least').and.not.contain('started');
    expect(await problem('{ port: 0, auth: { token: x } }')).to.equal('started 0');
  });

  it('shows metrics without the token on a loopback address only', async () => {
    const statuses = async (config: string): Promise<number[]> => {
      const console = await startConsole({ config });
      const get = async (...headers: string[]): Promise<number> => (await console.raw(['GET /metrics HTTP/1.1', 'Host: localhost:{}', ...headers])).status;
      // 404 is the answer of an engine without an observability module to those who are let in.
      const answers = [await get(), await get('Authorization: Bearer wrong'), await get('Authorization: Bearer a-secret-that-is-long')];
      await console.test.stop();
      return answers;
    };
    expect(await statuses('auth: { token: a-secret-that-is-long }')).to.deep.equal([404, 404, 404]);
    expect(await statuses('host: 0.0.0.0, auth: { token: a-secret-that-is-long }')).to.deep.equal([401, 401, 404]);
  });

  it('is reached under the names that are configured, through a proxy too, and no other', async () => {
    const console = await startConsole({ config: 'host: 0.0.0.0, auth: { token: secret-of-16-chars }, allowed_hosts: [admin.example.com, "other.example.com:8443"]' });
    const status = async (...headers: string[]): Promise<number> => (await console.raw(['GET /api/v1/engine HTTP/1.1', 'Authorization: Bearer secret-of-16-chars', ...headers])).status;
    expect(await status('Host: admin.example.com', 'Origin: https://admin.example.com')).to.equal(200);
    expect(await status('Host: admin.example.com:{}')).to.equal(200);
    expect(await status('Host: other.example.com:8443')).to.equal(200);
    expect(await status('Host: other.example.com')).to.equal(403);
    expect(await status('Host: 0.0.0.0:{}')).to.equal(403);
    expect(await status('Host: localhost:{}')).to.equal(200);
    await console.test.stop();
  });
});

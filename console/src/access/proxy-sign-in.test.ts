import { expect } from 'chai';
import { type ConsoleUnderTest, startConsole } from '../console.fixture.js';

const SECRET = 'a-secret-of-the-proxy';
const META = '/api/v1/meta';

describe('a proxy that has people sign in for the console', () => {
  let console: ConsoleUnderTest;
  before(async () => {
    console = await startConsole({ config: `page: true, auth: { proxy: { secret: ${SECRET}, role_header: X-Forwarded-Role, payloads_header: X-Forwarded-Payloads, payloads: false } }` });
  });
  after(() => console.test.stop());

  const send = async (method: string, path: string, headers: readonly string[], body = ''): Promise<string> => {
    const answer = await console.raw([`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1:{}', ...headers], body);
    const { code } = JSON.parse(answer.body) as { code?: string };
    return `${answer.status}${code === undefined ? '' : ` ${code}`}`;
  };
  const told = (user: string, ...more: readonly string[]): readonly string[] => [`X-Console-Secret: ${SECRET}`, `X-Forwarded-User: ${user}`, ...more];
  const changing = ['Content-Type: application/json', 'X-Console: 1', 'Content-Length: 2'];

  const cases: readonly (readonly [string, readonly string[], string])[] = [
    ['lets in whom it names', told('ada@example.com'), '200'],
    ['lets nobody in by another secret, not even with the cookie or name of somebody', ['X-Console-Secret: another-secret-of-ours', 'X-Forwarded-User: ada'], '401 unauthorized'],
    ['lets nobody in who names themselves without it', ['X-Forwarded-User: ada', 'X-Forwarded-Role: admin'], '401 unauthorized'],
    ['lets nobody in without a name', [`X-Console-Secret: ${SECRET}`], '401 unauthorized'],
    ['lets nobody in by a name that a log could not hold', told('ada', 'X-Forwarded-User: eve\tmallory'), '401 unauthorized'],
    ['lets nobody in by a role that there is not', told('ada', 'X-Forwarded-Role: king'), '403 role_refused'],
    ['lets nobody in of whom it says neither that they see payloads nor that they do not', told('ada', 'X-Forwarded-Payloads: yes'), '403 role_refused'],
    ['does not make up for another page', told('ada', 'Origin: http://evil.test'), '403 origin_refused'],
    ['does not make up for another site', told('ada', 'Sec-Fetch-Site: cross-site'), '403 site_refused'],
  ];
  for (const [what, headers, answer] of cases) it(what, async () => expect(await send('GET', META, headers)).to.equal(answer));

  it('gives the role that it names, or the usual one, and the name to the audit', async () => {
    const origin = `Origin: http://127.0.0.1:${console.port}`;
    const backUp = (...headers: readonly string[]): Promise<string> => send('POST', '/api/v1/backup', [...headers, ...changing], '{}');
    expect(await backUp(...told('eve', origin))).to.equal('403 role_refused');
    expect(await backUp(...told('ada', origin, 'X-Forwarded-Role: admin'))).to.equal('400 invalid_file');
    expect(await backUp(...told('ada', 'X-Forwarded-Role: admin')), 'a change of which no browser says where it comes from').to.equal('403 origin_refused');
    const { items } = (await console.ask('GET', '/api/v1/audit?limit=10')).json as { items: { who: string; role: string }[] };
    expect(items.map(({ who, role }) => `${who} ${role}`)).to.include.members(['eve viewer', 'ada admin']);
  });

  it('says who sees payloads, and its settings who does otherwise', async () => {
    const session = async (...headers: readonly string[]): Promise<unknown> => (JSON.parse((await console.raw([`GET ${META} HTTP/1.1`, 'Host: 127.0.0.1:{}', ...told('ada', 'X-Forwarded-Role: admin', ...headers)])).body) as { session: unknown }).session;
    expect(await session()).to.deep.equal({ name: 'ada', role: 'admin', payloads: false });
    expect(await session('X-Forwarded-Payloads: false')).to.deep.equal({ name: 'ada', role: 'admin', payloads: false });
    expect(await session('X-Forwarded-Payloads: true')).to.deep.equal({ name: 'ada', role: 'admin', payloads: true });
  });

  it('leaves tokens and links as they are', async () => {
    expect((await console.ask('GET', META)).status).to.equal(200);
    expect((await console.ask('POST', '/api/v1/session/link', {})).status).to.equal(200);
  });
});

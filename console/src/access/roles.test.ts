import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type ConsoleUnderTest, moduleOf, startConsole } from '../console.fixture.js';

const PROBE = moduleOf('acme::probe::ProbeModule', ({ admin }) => {
  admin.get('/read', async () => ({ answer: 'read' }));
  admin.post('/ask', async () => ({ answer: 'asked' }), [], 'A question', 'viewer');
  admin.post('/ask/search', async () => ({ answer: 'found' }), [], 'A long question', 'viewer');
  admin.post('/keys/:key', async () => ({ answer: 'changed' }));
  admin.delete('/keys/:key', async () => ({ answer: 'gone' }));
  admin.post('/write', async () => ({ answer: 'written' }));
  admin.post('/risky', async () => ({ answer: 'done' }), ['secret'], 'For few', 'admin');
});
const PATH = '/api/v1/modules/acme::probe::ProbeModule';
const TOKENS = ['viewer', 'operator', 'admin'].map((role) => `{ name: some-${role}, role: ${role}, token: a-token-of-the-${role} }`).concat('{ name: unseeing, role: admin, payloads: false, token: a-token-of-the-unseeing }').join(', ');

describe('roles of the console', () => {
  let console: ConsoleUnderTest;
  before(async () => {
    console = await startConsole({ config: `page: true, auth: { tokens: [${TOKENS}] }`, plugins: [PROBE], modules: '  - class: acme::probe::ProbeModule' });
  });
  after(() => console.test.stop());

  const ask = async (role: string, method: string, path: string, body = '{}'): Promise<string> => {
    const unsafe = method === 'GET' ? [] : ['Content-Type: application/json', 'X-Console: 1', `Content-Length: ${Buffer.byteLength(body)}`];
    const answer = await console.raw([`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1:{}', `Authorization: Bearer a-token-of-the-${role}`, ...unsafe], method === 'GET' ? '' : body);
    const { code } = JSON.parse(answer.body) as { code?: string };
    return `${answer.status}${code === undefined ? '' : ` ${code}`}`;
  };

  const routes: readonly (readonly [string, string, readonly string[]])[] = [
    ['GET', `${PATH}/read`, ['200', '200', '200']],
    ['POST', `${PATH}/ask`, ['200', '200', '200']],
    ['POST', `${PATH}/write`, ['403 role_refused', '200', '200']],
    ['POST', `${PATH}/risky`, ['403 role_refused', '403 role_refused', '200']],
    ['POST', '/api/v1/backup', ['403 role_refused', '403 role_refused', '400 invalid_file']],
    ['GET', '/api/v1/audit', ['200', '200', '200']],
    ['POST', '/api/v1/session/link', ['200', '200', '200']],
  ];
  for (const [method, path, answers] of routes) {
    it(`${method} ${path}`, async () => {
      expect(await Promise.all(['viewer', 'operator', 'admin'].map((role) => ask(role, method, path)))).to.deep.equal(answers);
    });
  }

  it('nobody makes a link for a role above their own', async () => {
    expect(await ask('viewer', 'POST', '/api/v1/session/link', '{"role":"operator"}')).to.equal('403 role_refused');
    expect(await ask('admin', 'POST', '/api/v1/session/link', '{"role":"king"}')).to.equal('400 invalid_argument');
  });

  it('nobody makes a link for somebody who sees payloads that they do not', async () => {
    const link = '/api/v1/session/link';
    expect(await ask('unseeing', 'POST', link, '{"payloads":true}')).to.equal('403 role_refused');
    expect(await ask('admin', 'POST', link, '{"payloads":"no"}')).to.equal('400 invalid_argument');
    const openedBy = async (role: string, body: string): Promise<unknown> => {
      const { body: made } = await console.raw([`POST ${link} HTTP/1.1`, 'Host: 127.0.0.1:{}', `Authorization: Bearer a-token-of-the-${role}`, 'Content-Type: application/json', 'X-Console: 1', `Content-Length: ${body.length}`], body);
      const opened = await console.raw([`GET /?${new URL((JSON.parse(made) as { url: string }).url).searchParams.toString()} HTTP/1.1`, 'Host: 127.0.0.1:{}', 'Accept: text/html']);
      const { body: meta } = await console.raw(['GET /api/v1/meta HTTP/1.1', 'Host: 127.0.0.1:{}', `Cookie: ${opened.headers['set-cookie'] ?? ''}`]);
      return (JSON.parse(meta) as { session: unknown }).session;
    };
    expect(await openedBy('unseeing', '{"role":"viewer"}')).to.deep.equal({ name: 'unseeing', role: 'viewer', payloads: false });
    expect(await openedBy('unseeing', '{}')).to.deep.equal({ name: 'unseeing', role: 'admin', payloads: false });
    expect(await openedBy('admin', '{"payloads":false}')).to.deep.equal({ name: 'some-admin', role: 'admin', payloads: false });
    expect(await openedBy('admin', '{}')).to.deep.equal({ name: 'some-admin', role: 'admin', payloads: true });
  });

  it('changes are in the audit whatever they are made to, and questions are not', async () => {
    for (const key of ['search', 'facets', 'histogram', 'compare']) for (const method of ['POST', 'DELETE']) await ask('operator', method, `${PATH}/keys/${key}`);
    await ask('operator', 'POST', `${PATH}/ask/search`);
    const { items } = (await console.ask('GET', '/api/v1/audit?limit=8')).json as { items: { method: string; path: string }[] };
    const expected = ['search', 'facets', 'histogram', 'compare'].flatMap((key) => [`POST ${PATH}/keys/${key}`, `DELETE ${PATH}/keys/${key}`]);
    expect(items.map(({ method, path }) => `${method} ${path}`).reverse()).to.deep.equal(expected);
  });

  it('every change is in the audit, also one that was refused, without what was sent', async () => {
    await ask('viewer', 'POST', `${PATH}/risky`, '{"secret":"do not keep me"}');
    await ask('admin', 'POST', `${PATH}/risky`, '{"secret":"do not keep me"}');
    await ask('admin', 'GET', `${PATH}/read`);
    const { items } = (await console.ask('GET', '/api/v1/audit?limit=2')).json as { items: Record<string, unknown>[] };
    expect(items).to.have.length(2);
    expect(items[0]).to.include({ who: 'some-admin', role: 'admin', method: 'POST', path: `${PATH}/risky`, status: 200 });
    expect(items[1]).to.include({ who: 'some-viewer', role: 'viewer', status: 403, code: 'role_refused' });
    expect(items[0]?.['body']).to.match(/^[0-9a-f]{16}$/);
    expect(items[1]).not.to.have.property('body');
    await console.test.engine.stop();
    const file = readFileSync(join(console.test.dataDir, 'audit.jsonl'), 'utf8');
    expect(file).to.contain('some-admin').and.not.contain('do not keep me');
  });
});

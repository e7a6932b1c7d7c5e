import { TreadleError } from '@treadle/api';
import { expect } from 'chai';
import { type RunningModule, runModule } from '../module-run.fixture.js';
import { call, type ClientResponse } from '../raw-client.fixture.js';

const APP = 'https://app.example';

function corsHeaders({ headers }: ClientResponse): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-') || name === 'vary'));
}

describe('CORS', () => {
  let run: RunningModule;
  let off: RunningModule;
  before(async () => {
    off = await runModule();
    run = await runModule({ config: { cors: { allowed_origins: [APP, 'http://localhost:5173'], exposed_headers: ['x-total'], credentials: true, max_age_seconds: 60 } } });
    for (const each of [run, off]) each.hub.add({ method: 'GET', path: '/a' }, () => ({ status: 200 }));
    run.hub.add({ method: 'PUT', path: '/a' }, () => ({ status: 200 }));
    run.hub.add({ method: 'GET', path: '/open', cors: { allowedOrigins: ['*'], allowedMethods: ['GET'], allowedHeaders: ['x-a'] } }, () => ({ status: 200 }));
    run.hub.add({ method: 'POST', path: '/strict', bodySchema: { type: 'integer' } }, () => ({ status: 200 }));
  });
  after(() => Promise.all([run.stop(), off.stop()]));

  const preflight = (url: string, origin: string, method = 'PUT', headers?: string): Promise<ClientResponse> => call(url, {
    method: 'OPTIONS', headers: { origin, 'access-control-request-method': method, ...(headers && { 'access-control-request-headers': headers }) },
  });

  it('is off unless configured', async () => {
    expect(corsHeaders(await call(`${off.url}/a`, { headers: { origin: APP } }))).to.deep.equal({});
    const answer = await preflight(`${off.url}/a`, APP, 'GET');
    expect(answer.status).to.equal(204);
    expect(corsHeaders(answer)).to.deep.equal({});
  });

  it('names the one origin that asked', async () => {
    expect(corsHeaders(await call(`${run.url}/a`, { headers: { origin: APP } }))).to.deep.equal({
      'access-control-allow-origin': APP, 'access-control-allow-credentials': 'true', 'access-control-expose-headers': 'x-total', vary: 'origin',
    });
  });

  it('lets pages read errors too', async () => {
    for (const path of ['/none', '/strict']) {
      expect(corsHeaders(await call(run.url + path, { headers: { origin: APP } }))).to.include({ 'access-control-allow-origin': APP });
    }
  });

  const strangers = [
    'https://evil.example', 'null', 'https://app.example.evil.example', 'https://evil-app.example', 'https://app.example:444', 'http://app.example',
    'https://app.example/', 'HTTPS://APP.EXAMPLE', 'https://app.example, https://evil.example', 'https://app.example@evil.example', 'file://',
  ];
  for (const origin of strangers) {
    it(`gives ${origin} nothing`, async () => {
      expect(corsHeaders(await call(`${run.url}/a`, { headers: { origin } }))).to.deep.equal({ vary: 'origin' });
      expect(corsHeaders(await preflight(`${run.url}/a`, origin))).to.deep.equal({ vary: 'origin' });
    });
  }

  it('says Vary without an Origin, for caches', async () => {
    expect(corsHeaders(await call(`${run.url}/a`))).to.deep.equal({ vary: 'origin' });
  });

  it('answers a preflight with the methods of the path', async () => {
    const answer = await preflight(`${run.url}/a`, APP, 'PUT', 'content-type, x-own');
    expect(answer.status).to.equal(204);
    expect(corsHeaders(answer)).to.deep.equal({
      'access-control-allow-origin': APP, 'access-control-allow-credentials': 'true', 'access-control-expose-headers': 'x-total',
      'access-control-allow-methods': 'GET, HEAD, PUT, OPTIONS', 'access-control-allow-headers': 'content-type, x-own',
      'access-control-max-age': '60', vary: 'origin',
    });
  });

  it("lets a trigger have rules of its own", async () => {
    expect(corsHeaders(await preflight(`${run.url}/open`, 'https://any.example', 'GET', 'x-b'))).to.deep.equal({
      'access-control-allow-origin': '*', 'access-control-allow-methods': 'GET', 'access-control-allow-headers': 'x-a', 'access-control-max-age': '600',
    });
    expect(corsHeaders(await call(`${run.url}/open`, { headers: { origin: 'null' } }))).to.deep.equal({ 'access-control-allow-origin': '*' });
  });

  it('answers a preflight of an unknown route with 404', async () => {
    expect((await preflight(`${run.url}/none`, 'https://evil.example')).status).to.equal(404);
  });

  it('echoes only lists of header names', async () => {
    const answer = await preflight(`${run.url}/a`, APP, 'PUT', 'x\u00e9"<script>');
    expect(answer.headers).to.not.have.property('access-control-allow-headers');
  });

  it('refuses credentials for every origin as a contradiction in the configuration', async () => {
    const error: unknown = await runModule({ config: { cors: { allowed_origins: ['*'], credentials: true } } }).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(TreadleError).and.include({
      code: 'CONFIG_CONFLICT', message: 'modules[0].config.cors: allowed_origins "*" with credentials lets every site act as its user',
    });
  });
});

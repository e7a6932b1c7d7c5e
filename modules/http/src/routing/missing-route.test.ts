import { expect } from 'chai';
import { type RunningModule, runModule } from '../module-run.fixture.js';
import { call } from '../raw-client.fixture.js';

describe('A request that no route answers', () => {
  let run: RunningModule;
  afterEach(() => run.stop());
  const start = async (mode: 'development' | 'production'): Promise<void> => {
    run = await runModule({ mode });
    run.hub.add({ method: 'POST', path: '/greet' }, () => ({ status: 200 }));
    run.hub.add({ method: 'GET', path: '/users/:id' }, () => ({ status: 200 }));
  };

  it('is told the routes in development, and which one was probably meant', async () => {
    await start('development');
    const { status, text: body } = await call(`${run.url}/gret`);
    expect(status).to.equal(404);
    expect(JSON.parse(body)).to.include({ code: 'not_found', hint: 'did you mean POST /greet?' }).and.deep.include({ routes: ['POST /greet', 'GET /users/:id'] });
  });

  it('is told of no routes in production', async () => {
    await start('production');
    const { text: body } = await call(`${run.url}/gret`);
    expect(JSON.parse(body)).to.have.all.keys('error', 'code', 'traceId');
  });

  it('gets a page in a browser, in which nothing that was sent is markup', async () => {
    await start('development');
    const { status, headers, text: body } = await call(`${run.url}/it's&co`, { headers: { accept: 'text/html' } });
    expect([status, headers['content-type']]).to.deep.equal([404, 'text/html; charset=utf-8']);
    expect(body).to.include('<code>POST /greet</code>').and.include("it&#39;s&#38;co");
  });
});

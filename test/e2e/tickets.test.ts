import { expect } from 'chai';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { copyOfSample } from '../support/temp-folder.js';

const NEW = { title: 'The printer is on fire', customer: { id: 'c1', email: 'ada@example.com' } };
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('the tickets application', function () {
  this.timeout(40_000);
  let url = '';
  let cwd = '';
  let engine: EngineProcess;

  const start = async (): Promise<void> => {
    engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'], env: { HTTP_PORT: '0', WORKER_PORT: '0' } });
    url = await engine.ready();
  };
  before(async () => {
    cwd = copyOfSample('tickets');
    await start();
  });
  after(stopAllEngines);

  const create = async (change: object = {}): Promise<Record<string, string>> =>
    (await request('POST', `${url}/tickets`, { ...NEW, ...change })).json as Record<string, string>;

  it('creates a ticket with the default priority', async () => {
    const { status, json } = await request('POST', `${url}/tickets`, NEW);
    expect(status).to.equal(201);
    expect(json).to.have.all.keys('id', 'title', 'priority', 'status', 'createdAt');
    expect(json).to.include({ title: NEW.title, priority: 'normal', status: 'open' });
    expect((json as { createdAt: string }).createdAt).to.match(ISO);
  });

  it('refuses bad tickets with the place of each fault and no echo of values', async () => {
    const { status, json, text } = await request('POST', `${url}/tickets`, { title: '', priority: 'panic', customer: { id: 'c1', email: 'nobody' } });
    expect(status).to.equal(400);
    expect(json).to.include({ code: 'validation_failed' });
    const issues = (json as { issues: { in: string; path: string }[] }).issues;
    expect(issues.map((issue) => `${issue.in} ${issue.path}`)).to.include.members(['body title', 'body priority', 'body customer.email']);
    expect(text).to.not.include('panic');
  });

  it('shows a ticket', async () => {
    const { id } = await create({ description: 'again' });
    const { status, json } = await request('GET', `${url}/tickets/${id}`);
    expect(status).to.equal(200);
    expect(json).to.include({ id, description: 'again' });
    expect(json).to.have.nested.property('customer.email', NEW.customer.email);
  });

  it('answers 404 with no body for a ticket that does not exist', async () => {
    const { status, text } = await request('GET', `${url}/tickets/00000000-0000-4000-8000-000000000000`);
    expect([status, text]).to.deep.equal([404, '']);
  });

  it('lists tickets by page and status with coerced query values', async () => {
    for (let n = 0; n < 3; n++) await create({ title: `ticket ${n}` });
    const all = (await request('GET', `${url}/tickets?status=&page=1&limit=2`)).json as { items: unknown[]; total: number };
    expect(all).to.include({ page: 1, limit: 2 });
    expect(all.items).to.have.length(2);
    expect(all.total).to.be.at.least(3);
    const defaults = await request('GET', `${url}/tickets`);
    expect(defaults.json).to.include({ page: 1, limit: 10 });
    const closed = await request('GET', `${url}/tickets?status=closed`);
    expect(closed.json).to.include({ total: 0 });
    expect((await request('GET', `${url}/tickets?page=zero`)).status).to.equal(400);
  });

  it('changes and closes a ticket', async () => {
    const { id } = await create();
    const { status, json } = await request('PUT', `${url}/tickets/${id}`, { title: 'Put out', status: 'closed' });
    expect(status).to.equal(200);
    expect(json).to.include({ id, title: 'Put out', status: 'closed' });
    expect((await request('GET', `${url}/tickets?status=closed`)).json).to.include({ total: 1 });
    expect((await request('PUT', `${url}/tickets/${id}`, { status: 'lost' })).status).to.equal(400);
  });

  it('deletes a ticket and answers 204 with no body', async () => {
    const { id } = await create();
    const { status, text } = await request('DELETE', `${url}/tickets/${id}`);
    expect([status, text]).to.deep.equal([204, '']);
    expect((await request('GET', `${url}/tickets/${id}`)).status).to.equal(404);
  });

  it('keeps its tickets when the engine is killed', async () => {
    const { id } = await create({ title: 'still here' });
    engine.child.kill('SIGKILL');
    await engine.exit;
    await start();
    expect((await request('GET', `${url}/tickets/${id}`)).json).to.include({ id, title: 'still here' });
  });
});

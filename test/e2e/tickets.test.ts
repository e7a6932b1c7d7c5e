import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { promtoolFindings } from '../support/promtool.js';
import { pathWithoutPython, requirePython } from '../support/require-python.js';
import { requireOrSkip } from '../support/requirement.js';
import { copyOfSample } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const NEW = { title: 'The printer is on fire', customer: { id: 'c1', email: 'ada@example.com' } };
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('the tickets application', function () {
  this.timeout(120_000);
  let url = '';
  let cwd = '';
  let engine: EngineProcess;

  const start = async (env: Readonly<Record<string, string>> = {}): Promise<void> => {
    engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'], env: { HTTP_PORT: '0', WORKER_PORT: '0', STREAM_PORT: '0', CONSOLE_PORT: '0', ...env } });
    url = await engine.ready();
  };
  before(async () => {
    cwd = copyOfSample('tickets');
    // A machine that has much else to do is not what is tested here.
    const config = join(cwd, 'config.yaml');
    writeFileSync(config, readFileSync(config, 'utf8').replace('port: ${HTTP_PORT:3111}', '$&\n      max_event_loop_delay_ms: 60000'));
    await start();
  });
  after(stopAllEngines);

  const admin = async (path: string): ReturnType<typeof request> => {
    const authorization = `Bearer ${readFileSync(join(cwd, 'data', 'admin.token'), 'utf8').trim()}`;
    return request('GET', `${await engine.address('console')}/api/v1/${path}`, undefined, { authorization });
  };
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

  it('leaves tickets deleted that are triaged at that moment', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, async () => {
      const { id } = await create();
      await request('DELETE', `${url}/tickets/${id}`);
      return id;
    }));
    await waitUntil('the end of the triage', async () => ((await admin('queues')).json as { items: { step: string; waiting: number; active: number }[] }).items
      .filter(({ step }) => step === 'TriageTicket').every(({ waiting, active }) => waiting + active === 0));
    const statuses = await Promise.all(answers.map(async (id) => (await request('GET', `${url}/tickets/${id}`)).status));
    expect(new Set(statuses)).to.deep.equal(new Set([404]));
  });

  it('keeps its tickets when the engine is killed', async () => {
    const { id } = await create({ title: 'still here' });
    engine.child.kill('SIGKILL');
    await engine.exit;
    await start();
    expect((await request('GET', `${url}/tickets/${id}`)).json).to.include({ id, title: 'still here' });
  });

  const isStored = (group: string, id: string): Promise<boolean> =>
    waitUntil(`${id} in ${group}`, async () => (await admin(`state/groups/${group}/keys/${id}`)).status === 200);

  it('triages a ticket and audits its changes', async () => {
    const { id = '' } = await create({ priority: 'high' });
    const stored = async (group: string): Promise<unknown> => (await admin(`state/groups/${group}/keys/${id}`)).json;
    await isStored('escalations', id);
    const { json } = await request('GET', `${url}/tickets/${id}`);
    expect(json).to.include({ status: 'triaged' });
    expect(json).to.have.property('dueAt').that.matches(ISO);
    await waitUntil('the audit', async () => ((await stored('audit')) as { value?: unknown[] } | undefined)?.value?.length === 2);
    expect(await stored('audit')).to.have.deep.property('value', [{ change: 'create', status: 'open' }, { change: 'update', status: 'triaged' }]);
    const board = (await admin('streams/board/groups/triaged')).json as { items: { id: string }[] };
    expect(board.items.map((item) => item.id)).to.include(id);
  });

  it('tells the customer, in Python, in the trace of the request', async function () {
    await requirePython(this);
    const { json, headers } = await request('POST', `${url}/tickets`, NEW);
    const { id, title } = json as { id: string; title: string };
    await isStored('outbox', id);
    const { dueAt } = (await request('GET', `${url}/tickets/${id}`)).json as { dueAt: string };
    expect((await admin(`state/groups/outbox/keys/${id}`)).json).to.have.deep.property('value', { to: NEW.customer.email, subject: `We are on it: ${title}`, dueAt });
    const told = await waitUntil('the log of it', () => engine.output.split('\n').find((line) => line.includes('customer notified') && line.includes(id)));
    expect(JSON.parse(told)).to.include({ level: 'info', stepName: 'NotifyCustomer', traceId: headers['x-trace-id'] });
  });

  it('keeps the mail to a customer without an email in the dead letters', async function () {
    await requirePython(this);
    await create({ customer: { id: 'c2' } });
    const letters = async (): Promise<{ reason: string; attempts: number }[]> =>
      ((await admin('queues/dead-letters?step=NotifyCustomer')).json as { items: { reason: string; attempts: number }[] }).items;
    await waitUntil('the dead letter', async () => (await letters()).length > 0);
    expect((await letters())[0]).to.include({ reason: 'max_attempts', attempts: 3 });
  });

  it('has metrics that Prometheus takes', async function () {
    await create();
    const { text } = await admin('metrics');
    const findings = promtoolFindings(text);
    requireOrSkip(this, findings !== undefined, 'promtool, of the package prometheus');
    expect(promtoolFindings('# TYPE ends counter\nends 1\n'), 'a counter without "total"').to.match(/total/);
    expect(text).to.match(/^http_server_request_duration_seconds_bucket\{/m);
    expect(findings).to.equal('');
  });

  it('serves all else where Python is missing, says what to install, and tells the customer once it is there', async function () {
    await requirePython(this);
    await engine.stop();
    await start({ PATH: pathWithoutPython() });
    const { status, json: health } = await request('GET', `${url}/health`);
    expect([status, (health as { status: string }).status]).to.deep.equal([200, 'degraded']);
    const problem = JSON.parse(await waitUntil('the problem', () => engine.output.split('\n').find((line) => line.includes('STEP_NO_INTERPRETER')))) as object;
    expect(problem).to.include({ level: 'error', at: 'steps/notify_customer_step.py:1' });
    expect(problem).to.have.property('remedy').that.matches(/^install Python 3\.10 or newer, or /);
    const { id = '' } = await create({ priority: 'high' });
    await isStored('escalations', id);
    expect((await admin(`state/groups/outbox/keys/${id}`)).status).to.equal(404);
    expect((await engine.stop()).code).to.equal(0);
    await start();
    await isStored('outbox', id);
  });
});

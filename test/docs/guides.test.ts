import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTestComposition } from '@treadle/engine/testing';
import { findPython } from '@treadle/runtime-python';
import type { ServerProcess } from '@treadle/testing';
import { expect } from 'chai';
import { missingPrograms, startPostgres } from '../../plugins/postgres/src/testing/server.fixture.js';
import { ROOT } from '../architecture/workspace.js';
import { cleanEnvironment, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { requireOrSkip } from '../support/requirement.js';
import { tempApplication, writeFiles } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';
import { computedNights, writtenNights } from './clock-changes.js';
import { commandFaults } from './command-lines.js';
import { compileFaults } from './compile-examples.js';
import { filesIn, GuideApplication } from './guide-application.js';
import { documents, fencesOf, type Fence } from './markdown.js';

const KEY = 'a key for tickets';
const GUIDES = ['docs/quick-start.md', 'docs/queue.md', 'docs/at-least-once.md', 'docs/state.md', 'docs/streams.md', 'docs/cron.md', 'docs/testing.md'];

describe('guides', function () {
  this.timeout(120_000);
  const fences = documents().flatMap((file) => fencesOf(file));
  let mail: Server;
  const mails: string[] = [];

  before((done) => {
    mail = createServer((incoming, response) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (part: string) => { text += part; }).on('end', () => {
        const { order } = JSON.parse(text) as { order: string };
        mails.push(order);
        response.writeHead(order.startsWith('never') ? 422 : 200).end();
      });
    }).listen(0, '127.0.0.1', done);
  });
  after(() => mail.close());
  afterEach(() => stopAllEngines());

  async function started(guide: string): Promise<{ readonly application: GuideApplication; readonly url: string }> {
    const service = `http://127.0.0.1:${(mail.address() as AddressInfo).port}`;
    const application = new GuideApplication(guide, { MAIL_URL: service, BANK_URL: service, TICKET_KEY: KEY });
    const url = await application.engine.ready();
    expect(await application.findings()).to.deep.equal([]);
    return { application, url };
  }

  it('show files of all kinds', () => {
    expect(GUIDES.filter((guide) => Object.keys(filesIn(guide)).length === 0)).to.deep.equal([]);
  });

  it('show components that compile', () => {
    const components = fences.filter(({ file, language }) => /^(README|docs\/)/.test(file) && language === 'tsx');
    expect(components).to.have.length.greaterThan(0);
    expect(compileFaults(components)).to.deep.equal([]);
  });

  it('show commands that exist', () => {
    const shown = fences.filter(({ file, language }) => /^(README|docs\/|cli\/README)/.test(file) && language === 'sh');
    expect(shown.flatMap((fence) => commandFaults(fence))).to.deep.equal([]);
  });

  it('show configurations that an engine starts with', async function () {
    requireOrSkip(this, missingPrograms() === undefined, 'one of them has its store in PostgreSQL');
    const database = await startPostgres();
    const faults: string[] = [];
    for (const fence of fences.filter(({ file, language, text }) => /^(README|docs\/)/.test(file) && language === 'yaml' && /^modules:/m.test(text))) {
      faults.push(...await startFaults(fence, database));
    }
    await database.stop();
    expect(faults).to.deep.equal([]);
  });

  it('tell the runs of the nights in which the clocks change', async () => {
    const written = writtenNights();
    expect(written).to.have.length.greaterThan(3);
    expect(await Promise.all(written.map(([expression]) => computedNights(expression)))).to.deep.equal(written);
  });

  it('testing: its tests pass, in both languages', async function () {
    this.timeout(120_000);
    requireOrSkip(this, !('problem' in await findPython({ root: ROOT })), 'the guide shows tests in Python as well');
    const application = tempApplication(filesIn('docs/testing.md'));
    const ran = promisify(execFile)(process.execPath, [join(ROOT, 'cli/bin/run.js'), 'test', '--json'], { cwd: application, env: cleanEnvironment() });
    const { stdout } = await ran.catch((error: { readonly stdout: string; readonly stderr: string }) => error);
    const { runs } = JSON.parse(stdout) as { readonly runs: readonly { readonly runner: string; readonly tests: unknown }[] };
    expect(runs.map(({ runner, tests }) => [runner, tests])).to.deep.equal([
      ['node', { passed: 3, failed: 0, skipped: 0 }], ['python', { passed: 2, failed: 0, skipped: 0 }]]);
  });

  it('quick-start: answers a request and delivers a message', async () => {
    const { application, url } = await started('docs/quick-start.md');
    expect((await request('GET', `${url}/hello?name=Ada`)).json).to.deep.equal({ message: 'Hello Ada' });
    expect((await request('POST', `${url}/sign-up`, { name: 'Ada' })).status).to.equal(202);
    expect(await waitUntil('the message', () => application.stateOf('users', 'Ada'))).to.deep.equal({ welcomed: true });
  });

  it('queue: delivers orders once, gives up hopeless ones and books payments in order', async () => {
    const { application, url } = await started('docs/queue.md');
    const order = (id: string): Promise<unknown> => request('POST', `${url}/orders`, { id, email: 'ada@example.com' }).then(({ json }) => json);
    expect(await order('o-1')).to.deep.equal(await order('o-1'));
    await order('never-1');
    const [letter] = await application.admin.someLetters('SendReceipt');
    expect(letter?.reason).to.equal('non_retryable');
    expect([...mails].sort()).to.deep.equal(['never-1', 'o-1']);
    const payments = [1, 2, 3].map((cents) => ({ customer: 'c-1', cents }));
    expect((await request('POST', `${url}/payments`, payments)).json).to.deep.equal({ messages: 3 });
    await waitUntil('all payments', async () => (await application.stateOf('balances', 'c-1') as { cents?: number } | undefined)?.cents === 6);
  });

  it('at-least-once: takes stock once and asks for one payment, whoever repeats the order', async () => {
    const { application, url } = await started('docs/at-least-once.md');
    await application.admin.call('PUT', '/state/groups/stock/keys/lamp', { value: { left: 3, taken: {} } });
    const order = (id: string): object => ({ id, article: 'lamp', count: 2 });
    const settled = (): Promise<unknown> => waitUntil('the end of all deliveries', async () => (await application.admin.gathered()).every((line) => line.endsWith(': 0')));
    for (const id of ['a-1', 'a-1']) await request('POST', `${url}/orders`, order(id));
    await application.admin.call('POST', '/queues/messages', { topic: 'order.placed', data: order('a-1') });
    await settled();
    await request('POST', `${url}/orders`, order('a-2'));
    await settled();
    expect(await application.stateOf('stock', 'lamp')).to.deep.equal({ left: 1, taken: { 'a-1': 2 } });
    expect(mails.filter((name) => name.startsWith('a-'))).to.deep.equal(['a-1']);
    expect([await application.stateOf('payments', 'count'), await application.stateOf('payments', 'a-1')]).to.deep.equal([1, { number: 1 }]);
    expect((await application.admin.letters('ReserveStock')).map(({ reason, data }) => [reason, data])).to.deep.equal([['non_retryable', order('a-2')]]);
  });

  it('state: counts visits and audits those of the shop', async () => {
    const { application, url } = await started('docs/state.md');
    expect((await request('POST', `${url}/visits/shop-1`)).json).to.deep.equal({ visits: 1 });
    await request('POST', `${url}/visits/blog-1`);
    expect(await waitUntil('the audit', () => application.stateOf('audit', 'pages/shop-1')))
      .to.deep.equal([{ type: 'create', oldValue: null, newValue: { visits: 1 } }]);
    expect(await application.stateOf('audit', 'pages/blog-1')).to.equal(undefined);
  });

  it('streams: lets in who has a ticket, to the groups that are on it', async () => {
    const { application, url } = await started('docs/streams.md');
    const card = { title: 'Write guides', done: true };
    expect((await request('PUT', `${url}/teams/red/cards/1`, card)).json).to.deep.equal(card);
    const address = await application.engine.address('stream');
    const ticket = (until: number): string => `red.${until}.${createHmac('sha256', KEY).update(`red.${until}`).digest('hex')}`;
    const soon = Date.now() + 3_600_000;
    expect(await watched(application, `${address}/?ticket=${ticket(soon)}`)).to.deep.equal({ red: [{ id: '1', data: { ...card, id: '1' } }], blue: 'unauthorized' });
    for (const bad of [`red.${soon}.00`, ticket(1)]) {
      expect(await watched(application, `${address}/?ticket=${bad}`)).to.deep.equal({ red: 'connecting', blue: 'connecting' });
    }
    await request('PUT', `${url}/teams/red/cards/1`, card);
    await waitUntil('the trigger', () => application.engine.output.includes('"message":"done"'));
  });

  it('cron: runs when it is told to', async () => {
    const { application } = await started('docs/cron.md');
    await application.admin.call('POST', '/cron/run', { step: 'NightlyReport' });
    await waitUntil('the run', async () => {
      const { items: runs } = await application.admin.call<{ items: readonly { readonly status: string }[] }>('GET', '/cron/runs?step=NightlyReport');
      return runs[0]?.status === 'succeeded';
    });
  });

  it('the admin API answers the requests that are shown', async () => {
    const { application } = await started('docs/queue.md');
    const address = await application.engine.address('console');
    const lines = fencesOf('docs/admin-api.md').flatMap(({ text }) => text.replaceAll(/\\\n/g, '').split('\n')).filter((line) => line.startsWith('curl '));
    expect(lines).to.have.length(4);
    const env = { ...process.env, GRAFANA_TOKEN: application.token() };
    for (const line of lines) {
      const { stdout } = await promisify(execFile)('sh', ['-c', `${line.replace('http://127.0.0.1:3113', address)} -s -o body -w '%{http_code}'`], { cwd: application.folder, env });
      expect(stdout, line).to.equal('200');
    }
  });
});

/** A fence's configuration with free ports, on an engine in this process. */
async function startFaults({ file, line, text }: Fence, database: ServerProcess): Promise<readonly string[]> {
  try {
    const root = tempApplication({ 'public/index.html': '' });
    const env = { ...process.env, DATABASE_URL: database.url };
    const engine = await createTestComposition({ root, env, yaml: text.replaceAll(/\bport: .*/g, 'port: 0') });
    await engine.stop();
    return [];
  } catch (error) {
    return [`${file}:${line}: ${String(error)}`];
  }
}

/** What a client sees of two groups: their items, or why it sees none. */
async function watched(application: GuideApplication, url: string): Promise<unknown> {
  writeFiles(application.folder, { 'watch.mjs': `import { StreamClient } from '@treadle/stream-client';
import { WebSocket } from 'ws';
const client = new StreamClient({ url: process.argv[2], WebSocket, minDelayMs: 60_000, maxDelayMs: 60_000 });
const subscriptions = ['red', 'blue'].map((groupId) => client.subscribe({ streamName: 'board', groupId }));
await Promise.race([Promise.allSettled(subscriptions.map((one) => one.ready())), new Promise((resolve) => setTimeout(resolve, 2000))]);
const seen = subscriptions.map(({ target, status, items }) => [target.groupId, status === 'live' ? items : status]);
console.log(JSON.stringify(Object.fromEntries(seen)));
process.exit(0);
` });
  const { stdout } = await promisify(execFile)(process.execPath, [join(application.folder, 'watch.mjs'), url], { env: cleanEnvironment() });
  return JSON.parse(stdout);
}

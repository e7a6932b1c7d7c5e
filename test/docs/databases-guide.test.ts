import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPython } from '@treadle/runtime-python';
import type { ServerProcess } from '@treadle/testing';
import { expect } from 'chai';
import { missingPrograms, query, startPostgres } from '../../plugins/postgres/src/testing/server.fixture.js';
import { ROOT } from '../architecture/workspace.js';
import { cleanEnvironment, EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { requireOrSkip } from '../support/requirement.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';
import { filesIn, GuideApplication } from './guide-application.js';
import { fencesOf } from './markdown.js';

const GUIDE = 'docs/databases.md';

describe('the guide to databases', function () {
  this.timeout(120_000);
  let postgres: ServerProcess;

  before(async function () {
    requireOrSkip(this, missingPrograms() === undefined, 'it needs PostgreSQL');
    requireOrSkip(this, !('problem' in await findPython({ root: ROOT })), 'it shows Steps in Python as well');
    postgres = await startPostgres();
    await query(postgres.url, fencesOf(GUIDE).find(({ name }) => name === 'notes.sql')?.text ?? '');
  });
  after(() => (postgres as ServerProcess | undefined)?.stop());
  afterEach(() => stopAllEngines());

  const connections = async (): Promise<number> => (await query<{ n: number }>(postgres.url, "select count(*)::int as n from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"))[0]?.n ?? -1;

  it('shows Steps that share a pool, which is closed at the end', async () => {
    const application = new GuideApplication(GUIDE, { DATABASE_URL: postgres.url });
    const url = await application.engine.ready();
    expect(await application.findings()).to.deep.equal([]);
    const notes = await Promise.all(['milk', 'bread'].map((text) => request('POST', `${url}/notes`, { text })));
    expect(notes.map(({ status, json }) => [status, (json as { text: string }).text])).to.deep.equal([[201, 'milk'], [201, 'bread']]);
    for (const cents of [5, 7]) expect((await request('POST', `${url}/accounts/ada/payments`, { cents })).status).to.equal(202);
    await waitUntil('both payments', async () => ((await request('GET', `${url}/accounts/ada`)).json as { cents?: number }).cents === 12);
    expect((await request('GET', `${url}/accounts/bob`)).status).to.equal(404);
    const visits = [await request('POST', `${url}/visits/home`), await request('POST', `${url}/visits/home`)];
    expect(visits.map(({ json }) => json)).to.deep.equal([{ visits: 1 }, { visits: 2 }]);
    expect(await connections()).to.be.greaterThan(0);
    expect((await application.engine.stop()).code).to.equal(0);
    expect(await connections()).to.equal(0);
  });

  it('holds the Steps while the database is away, and serves them when it is there', async () => {
    const other = await startPostgres();
    try {
      await query(other.url, fencesOf(GUIDE).find(({ name }) => name === 'notes.sql')?.text ?? '');
      const { port } = new URL(other.url);
      await other.crash();
      const application = new GuideApplication(GUIDE, { DATABASE_URL: other.url });
      const url = await application.engine.ready();
      expect((await request('POST', `${url}/notes`, { text: 'milk' })).status).to.equal(503);
      expect((await request('POST', `${url}/visits/home`)).status, 'the other language has a setup of its own').to.equal(200);
      expect(application.engine.output).to.include('STEP_SETUP_FAILED').and.to.include(port);
      await application.admin.call('POST', '/queues/messages', { topic: 'payment.received', data: { name: 'ada', cents: 3 } });
      await other.resume();
      await waitUntil('the Steps', async () => (await request('POST', `${url}/notes`, { text: 'milk' })).status === 201);
      await waitUntil('the payment that waited', async () => ((await request('GET', `${url}/accounts/ada`)).json as { cents?: number }).cents === 3);
      expect(await application.admin.letters('BookPayment')).to.deep.equal([]);
    } finally {
      await other.stop();
    }
  });

  it('shows tests that pass, in both languages', async () => {
    const application = tempApplication(filesIn(GUIDE));
    const ran = promisify(execFile)(process.execPath, [join(ROOT, 'cli/bin/run.js'), 'test', '--json'], { cwd: application, env: cleanEnvironment() });
    const { stdout } = await ran.catch((error: { readonly stdout: string }) => error);
    const { runs } = JSON.parse(stdout) as { readonly runs: readonly { readonly runner: string; readonly tests: unknown }[] };
    expect(runs.map(({ runner, tests }) => [runner, tests])).to.deep.equal([
      ['node', { passed: 1, failed: 0, skipped: 0 }], ['python', { passed: 2, failed: 0, skipped: 0 }],
    ]);
  });
});

describe('the guide to the environment', function () {
  this.timeout(120_000);
  afterEach(() => stopAllEngines());

  it('shows variables that handlers get, from .env files as well', async () => {
    const cwd = tempApplication({ ...filesIn('docs/environment.md'), '.env.production': 'SHOP_NAME="Lamps & more" # ours\nSHOP_URL=https://lamps.example\n', 'config.yaml': 'modules:\n  - class: modules::http::HttpModule\n    config: { port: 0, max_event_loop_delay_ms: 60000 }\n' });
    const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'], env: { SHOP_MAX_ITEMS: '7' } });
    const { json } = await request('GET', `${await engine.ready()}/about`);
    expect(json).to.deep.equal({ name: 'Lamps & more', url: 'https://lamps.example', items: 7 });
  });

  it('shows what is said when variables are missing', async () => {
    const cwd = tempApplication(filesIn('docs/environment.md'));
    const engine = new EngineProcess({ cwd, env: { SHOP_NAME: 'Lamps', SHOP_MAX_ITEMS: 'many' } });
    expect((await engine.exit).code).to.equal(78);
    const shown = fencesOf('docs/environment.md').find(({ language }) => language === 'text')?.text.split('\n').slice(1, 2) ?? [];
    for (const line of shown) expect(engine.output).to.include(line);
  });
});

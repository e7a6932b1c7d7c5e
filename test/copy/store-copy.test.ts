import { join } from 'node:path';
import { seededRandom } from '@treadle/testing';
import type { ServerProcess } from '@treadle/testing';
import { expect } from 'chai';
import { missingPrograms, query, startPostgres } from '../../plugins/postgres/src/testing/server.fixture.js';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { requireOrSkip } from '../support/requirement.js';
import { waitUntil } from '../support/wait-until.js';
import { Application, configOn, SLOTS } from './application.js';
import { comparable, HALF_PAIR, NAMES, RandomRows, type Rows } from './random-rows.js';

const SEEDS = [1, 2];

describe('treadle store copy', function () {
  this.timeout(300_000);
  let server: ServerProcess;
  let schemas = 0;

  before(async function () {
    requireOrSkip(this, missingPrograms() === undefined, 'PostgreSQL');
    server = await startPostgres();
  });
  after(async () => {
    await stopAllEngines();
    await server?.stop();
  });

  const sqlite = (file: string, dataDir = 'data', slots?: readonly string[]): string => configOn('Sqlite', { file_path: file }, dataDir, slots);
  const postgres = (schema: string, dataDir = 'data'): string => configOn('Postgres', { url: server.url, schema }, dataDir);
  const newSchema = (): string => `copy_${schemas += 1}`;

  async function expectSame(app: Application, one: string, other: string, slots: readonly string[] = SLOTS): Promise<void> {
    expect(comparable(await app.rows(other, slots))).to.deep.equal(comparable(await app.rows(one, slots)));
  }

  for (const seed of SEEDS) {
    it(`keeps every row from SQLite to PostgreSQL and back (seed ${seed})`, async () => {
      const rows = new RandomRows(seededRandom(seed), [...NAMES, HALF_PAIR]);
      const app = new Application({ one: sqlite('one.db'), pg: postgres(newSchema()), two: sqlite('two.db') });
      const filled = { state: rows.state, queue: rows.queue, stream: rows.stream, cron: rows.cron };
      await app.fill('one', filled);
      expect(comparable(await app.rows('one', SLOTS))).to.deep.equal(comparable(filled));
      expect(await app.copy('one', 'pg')).to.have.property('agrees', true);
      await expectSame(app, 'one', 'pg');
      expect(await app.copy('pg', 'two')).to.have.property('agrees', true);
      await expectSame(app, 'one', 'two');
      const again = await app.copy('pg', 'two');
      expect(again.slots.map(({ outcome }) => outcome)).to.deep.equal(SLOTS.map(() => 'complete'));
      expect(again.agrees).to.equal(true);
      await expectSame(app, 'one', 'two');
    });
  }

  it('goes on where it was after kill -9, and lets no engine in before', async () => {
    const schema = newSchema();
    const app = new Application({ one: sqlite('one.db'), pg: postgres(schema, 'data-pg') });
    const message = { step: 'a', topic: 't', kind: 'queue', data: JSON.stringify('x'.repeat(200)), traceparent: '', hops: 0, enqueuedAt: 1, attempts: 0, deaths: 0, history: '' };
    await app.fill('one', { queue: {
      subscription: [{ step: 'a', topic: 't', application: '', fifo: true, delayMs: 0, paused: true, settings: '{}', retired: false }],
      delivery: Array.from({ length: 30_000 }, (_, index) => ({ ...message, order: index + 1, messageId: `m${index}`, groupId: `g${index % 7}` })),
    } });
    const copied = async (): Promise<number> => Number((await query<{ n: string }>(server.url, `SELECT count(*) AS n FROM ${schema}.queue_deliveries`).catch(() => []))[0]?.n ?? 0);
    const first = app.command('one', 'pg');
    await waitUntil('a beginning', async () => await copied() > 1_000, 120_000);
    process.kill(first.pid, 'SIGKILL');
    await first;
    const before = await copied();
    expect(before).to.be.within(1_000, 29_999);
    const engine = new EngineProcess({ cwd: app.folder, args: ['--config', 'pg.yaml'], dataDir: join(app.folder, 'data-pg') });
    expect((await engine.exit).code).to.equal(69);
    expect(engine.output).to.contain('COPY_UNFINISHED').and.to.contain('run the same "treadle store copy" again');
    const second = await app.copy('one', 'pg');
    expect(second.agrees).to.equal(true);
    expect(await copied()).to.equal(30_000);
    const [kept] = await query<{ n: string }>(server.url, `SELECT count(DISTINCT message) AS n FROM ${schema}.queue_deliveries`);
    expect(Number(kept?.n)).to.equal(30_000);
    await expectSame(app, 'one', 'pg', ['cron', 'state', 'stream']);
  });

  it('does not go on when an engine has used the source meanwhile', async () => {
    const app = new Application({ one: sqlite('one.db'), pg: postgres(newSchema()) });
    await app.fill('one', { state: new RandomRows(seededRandom(9)).state });
    await app.open('pg', ['state'], async (stores) => stores.get('state')?.setMark('to', { text: JSON.stringify({ id: 'x', from: await storeOf(app), kind: 'entry' }), complete: false }));
    const error = await faultOf(app.copy('one', 'pg', { slots: ['state'] }));
    expect(error).to.have.property('code', 'COPY_OUTDATED');
    expect(error.message).to.contain('an engine has used the source since it began');
  });

  it('takes no complete copy for one of a source that an engine has used since', async () => {
    const app = new Application({ one: sqlite('one.db'), two: sqlite('two.db', 'data-two') });
    await app.fill('one', { state: new RandomRows(seededRandom(10)).state });
    expect(await app.copy('one', 'two', { slots: ['state'] })).to.have.property('agrees', true);
    const engine = new EngineProcess({ cwd: app.folder, args: ['--config', 'one.yaml'] });
    await engine.ready();
    engine.child.kill('SIGTERM');
    await engine.exit;
    const error = await faultOf(app.copy('one', 'two'));
    expect(error).to.have.property('code', 'COPY_OUTDATED');
    expect(error.message).to.contain('an engine has used the source since it began');
  });

  it('refuses stores that an engine uses, and names it', async () => {
    const schema = newSchema();
    const app = new Application({ one: sqlite('one.db'), pg: postgres(schema, 'data-pg') });
    const engine = new EngineProcess({ cwd: app.folder, args: ['--config', 'one.yaml'] });
    await engine.ready();
    const locked = await app.command('one', 'pg');
    expect(locked.code).to.equal(69);
    expect(locked.stderr).to.contain('DATA_DIR_LOCKED').and.to.contain(`pid ${engine.pid}`);
    engine.child.kill('SIGTERM');
    await engine.exit;
    const shared = new EngineProcess({ cwd: app.folder, args: ['--config', 'pg.yaml'], dataDir: join(app.folder, 'data-pg') });
    await shared.ready();
    const elsewhere = new Application({ one: sqlite('one.db'), two: sqlite('two.db'), pg: postgres(schema) });
    const used = await faultOf(elsewhere.copy('one', 'pg'));
    expect(used).to.have.property('code', 'STORE_IN_USE');
    expect(used.message).to.match(/the engine [0-9a-f-]{36}, seen [\d.]+ s ago/);
    shared.child.kill('SIGKILL');
    await shared.exit;
    await waitUntil('the end of its session', () => elsewhere.copy('one', 'pg').then(() => true, () => false));
    const filled = await faultOf(elsewhere.copy('two', 'pg'));
    expect(filled).to.have.property('code', 'COPY_TARGET_NOT_EMPTY');
    expect(filled.message).to.contain('one.db');
  });

  it('refuses what is in memory, and copies the slots that are named', async () => {
    const memory = configOn('Sqlite', { store_method: 'in_memory' }, 'data');
    const app = new Application({ one: sqlite('one.db'), two: sqlite('two.db'), memory });
    const refused = await faultOf(app.copy('one', 'memory'));
    expect(refused).to.have.property('code', 'COPY_NOT_POSSIBLE');
    expect(refused.message).to.contain('it is in memory');
    await app.fill('one', { cron: new RandomRows(seededRandom(4)).cron });
    const { code, stdout } = await app.command('one', 'two', '--slot', 'cron');
    expect(code).to.equal(0);
    expect(stdout).to.contain('cron: copied').and.not.to.contain('state:');
    await expectSame(app, 'one', 'two', ['cron']);
    expect((await app.copy('one', 'one')).slots.map(({ outcome }) => outcome)).to.deep.equal(SLOTS.map(() => 'same_store'));
  });

  it('counts with --dry-run and copies nothing', async () => {
    const app = new Application({ one: sqlite('one.db'), two: sqlite('two.db') });
    const rows = new RandomRows(seededRandom(5)).stream;
    await app.fill('one', { stream: rows });
    const report = await app.copy('one', 'two', { dryRun: true });
    expect(report.slots.find(({ slot }) => slot === 'stream')?.kinds.find(({ kind }) => kind === 'item')).to.include({ from: rows['item']?.length, to: 0 });
    expect((await app.copy('one', 'two')).slots.map(({ outcome }) => outcome)).to.deep.equal(SLOTS.map(() => 'copied'));
  });

  it('keeps what KvStore can keep, and refuses a name that it would change', async () => {
    const kv = (): string => configOn('KvStore', { store_method: 'file_based' }, 'data', ['state', 'stream']);
    const slots = ['state', 'stream'];
    const app = new Application({ one: sqlite('one.db'), kv: kv(), pg: postgres(newSchema()) });
    const rows = new RandomRows(seededRandom(6));
    const filled: Readonly<Record<string, Rows>> = { state: { ...rows.state, floor: [] }, stream: rows.stream };
    await app.fill('one', filled);
    const there = await app.copy('one', 'kv', { slots });
    expect(there.agrees).to.equal(true);
    expect(there.slots.flatMap(({ notes }) => notes).join()).to.contain('a change that waits gets another id');
    expect(await app.copy('kv', 'pg', { slots })).to.have.property('agrees', true);
    await expectSame(app, 'one', 'pg', slots);
    const half = new Application({ one: sqlite('one.db'), kv: kv() });
    await half.fill('one', { state: { entry: [{ group: 'g', key: HALF_PAIR, text: '1', revision: 1 }] } });
    const refused = await faultOf(half.copy('one', 'kv', { slots: ['state'] }));
    expect(refused.message).to.contain('"\\ud83d" cannot be kept');
  });
});

/** How the source calls itself. */
function storeOf(app: Application): Promise<string> {
  return app.open('one', ['state'], (stores) => Promise.resolve(stores.get('state')?.store ?? ''));
}

/** What a copy is refused with. */
function faultOf(promise: Promise<unknown>): Promise<Error & { readonly code?: string }> {
  return promise.then(() => { throw new Error('it was not refused'); }, (error: unknown) => error as Error);
}

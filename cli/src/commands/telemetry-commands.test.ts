import { expect } from 'chai';
import { FakeAdmin } from '../admin/admin-server.fixture.js';
import { type CommandOutcome, expectGolden, makeApp, removeApp, runCli } from '../cli.fixture.js';

const MODULE = '/modules/modules%3A%3Aobservability%3A%3AOtelModule';
const START = Date.parse('2026-03-01T10:00:00.000Z');
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const LOG = { id: 7, timestamp: '2026-03-01T10:00:00.123Z', level: 'info', message: 'order placed', traceId: TRACE, spanId: 'a'.repeat(16), service: 'shop', stepName: 'Order', fields: { orderId: 'o-1', note: 'two words' } };
const ENGINE_LOG = { ...LOG, id: 8, level: 'error', message: 'bad\u001b[31m', traceId: '0'.repeat(32), stepName: '', fields: { error: 'E', stack: 'Error: E\n    at x.ts:1' } };
const LISTED = { traceId: TRACE, name: 'POST /orders', kind: 'server', startTime: START, durationMs: 12_345.6, replyMs: 0.42, spans: 5, steps: ['Order', 'Notify'], errors: 1, retries: 1, partial: false };
const span = (id: number, depth: number, from: number, ms: number): object => ({
  spanId: String(id).repeat(16), name: `span ${id}`, kind: 'internal', startTime: START + from, durationMs: ms, stepName: '', depth, critical: true,
});
const DETAIL = {
  traceId: TRACE, omitted: 0,
  rows: [
    { ...span(1, 0, 0, 10), name: 'POST /orders' }, { ...span(2, 1, 1, 8), name: 'Order', stepName: 'Order' }, { ...span(3, 2, 2, 1), name: 'state.set', critical: false }, { ...span(4, 2, 4, 2), name: 'publish orders' },
    {
      ...span(5, 3, 20, 4), name: 'process orders', stepName: 'Notify', attempt: 1, wait: { kind: 'queue', startTime: START + 6, durationMs: 14 },
      error: { type: 'TypeError', message: 'no mail\nsecond line' },
    },
    { ...span(6, 3, 54, 6), name: 'process orders', stepName: 'Notify', attempt: 2, wait: { kind: 'backoff', startTime: START + 24, durationMs: 30 } },
    { ...span(7, 0, 58, 1), name: 'lost', unattached: 'parent is not kept', critical: false },
  ],
  path: {
    startTime: START, durationMs: 60, byKind: { 'retry backoff': 30, 'queue wait': 14, handler: 16 },
    segments: [{ kind: 'handler', name: 'Order', durationMs: 6 }, { kind: 'queue wait', name: 'process orders', durationMs: 14 }, { kind: 'retry backoff', name: 'process orders', durationMs: 30 }],
  },
};

describe('commands about telemetry', function () {
  this.timeout(20_000);
  let folder: string;
  let admin: FakeAdmin;
  let url: string;
  before(() => { folder = makeApp(); });
  after(() => removeApp(folder));
  beforeEach(async () => {
    admin = new FakeAdmin();
    url = await admin.start();
  });
  afterEach(() => admin.stop());

  const run = (...args: string[]): Promise<CommandOutcome> => runCli(args, { cwd: folder, env: { TREADLE_ADMIN_URL: url, ADMIN_TOKEN: 'secret' } });
  const answers = (route: string, body: unknown, status = 200): void => void admin.answers.set(`GET ${MODULE}${route}`, [status, body]);
  const printed = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    return stdout;
  };

  it('logs prints records, the oldest first, and what limits them', async () => {
    answers('/logs', { items: [ENGINE_LOG, LOG], total: 5, note: 'about 10 % of the log records are kept (logs_sampling_ratio: 0.1)' });
    expectGolden('logs.txt', await printed('logs', '--step', 'Order', '--level', 'info', '--trace', TRACE, '--text', 'a b', '--since', '2026-03-01T10:00:00Z', '--limit', '2'));
    expect(admin.last?.path).to.equal(`/api/v1${MODULE}/logs?step=Order&level=info&traceId=${TRACE}&text=a+b&from=${START}&limit=2&order=desc`);
    expect(JSON.parse(await printed('logs', '--json'))).to.have.nested.property('items[0].id', 7);
    answers('/logs', { items: [], total: 0 });
    expect(await printed('logs', '--since', '10m')).to.equal('Nothing matches.\n');
  });

  it('logs --follow prints records as they come, until the engine ends them', async () => {
    admin.answers.set(`GET ${MODULE}/logs/follow`, (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`: open\n\ndata: ${JSON.stringify(LOG)}\n\ndata: {"dropped":3}\n\n`);
    });
    const followed = await run('logs', '--follow', '--limit', '5', '--level', 'warn');
    expect(followed.stdout).to.equal('10:00:00.123 INFO  [Order] order placed orderId=o-1 note="two words" trace=4bf92f35\n… 3 records left out: more came in a second than are shown\n');
    expect([followed.code, admin.last?.path]).to.deep.equal([69, `/api/v1${MODULE}/logs/follow?level=warn&tail=5`]);
    expect((await run('logs', '-f', '--json')).stdout.split('\n').slice(0, 2).map((line) => JSON.parse(line) as unknown)).to.deep.equal([LOG, { dropped: 3 }]);
  });

  it('traces lists traces', async () => {
    answers('/traces', { items: [LISTED, { ...LISTED, traceId: 'b'.repeat(32), name: 'Sweep', errors: 0, retries: 0, steps: [], durationMs: 61_000, partial: true }], total: 3, cursor: 'next' });
    expectGolden('traces-list.txt', await printed('traces', 'list', '--step', 'Order', '--route', '/orders', '--status', 'error', '--min-ms', '5'));
    expect(admin.last?.path).to.equal(`/api/v1${MODULE}/traces?step=Order&route=%2Forders&status=error&limit=20&minDurationMs=5`);
    answers('/traces', { items: [], total: 0, note: 'telemetry is off (enabled: false)' });
    expect(await printed('traces')).to.equal('No trace matches.\nnote: telemetry is off (enabled: false)\n');
  });

  it('traces draws one as a tree with waits, attempts, errors and the critical path', async () => {
    answers(`/traces/${TRACE}`, DETAIL);
    expectGolden('traces-one.txt', await printed('traces', TRACE));
    expect(JSON.parse(await printed('traces', TRACE, '--json'))).to.deep.equal(DETAIL);
  });

  it('say what is wrong with what they were asked, exit code 64', async () => {
    answers(`/traces/${TRACE}`, { error: 'nothing is known of that trace', code: 'not_found' }, 404);
    const cases: readonly (readonly [readonly string[], string])[] = [
      [['traces', 'abc'], '"abc" is no trace id; one has 32 hex digits\n    hint: "treadle traces" shows them'], [['traces', TRACE], 'nothing is known of that trace'],
      [['logs', '--since', 'yesterday'], '--since must be a span of time such as 10m or 2h, or a time such as 2026-03-01T10:00:00Z, got "yesterday"'],
    ];
    for (const [args, text] of cases) expect(await run(...args)).to.deep.equal({ code: 64, stdout: '', stderr: `error  USAGE  ${text}\n` });
  });
});

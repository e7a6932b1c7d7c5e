import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { AdminCommands } from '../admin/admin-commands.fixture.js';
import { expectGolden } from '../cli.fixture.js';

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
  this.timeout(120_000);
  const commands = AdminCommands.use();
  const { run, printed } = commands;
  const answers = (route: string, body: unknown, status = 200): void => commands.answers(`GET ${MODULE}${route}`, body, status);

  it('logs prints records, the oldest first, and what limits them', async () => {
    answers('/logs', { items: [ENGINE_LOG, LOG], total: 5, note: 'about 10 % of the log records are kept (logs_sampling_ratio: 0.1)' });
    expectGolden('logs.txt', await printed('logs', '--step', 'Order', '--level', 'info', '--trace', TRACE, '--text', 'a b', '--since', '2026-03-01T10:00:00Z', '--limit', '2'));
    expect(commands.admin.last?.path).to.equal(`/api/v1${MODULE}/logs?step=Order&level=info&traceId=${TRACE}&text=a+b&from=${START}&limit=2&order=desc`);
    expect(JSON.parse(await printed('logs', '--json'))).to.have.nested.property('items[0].id', 7);
    answers('/logs', { items: [], total: 0 });
    expect(await printed('logs', '--since', '10m')).to.equal('Nothing matches.\n');
  });

  it('logs --follow prints records as they come, until the engine ends them', async () => {
    commands.admin.answers.set(`GET ${MODULE}/logs/follow`, (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`: open\n\ndata: ${JSON.stringify(LOG)}\n\ndata: {"dropped":3}\n\n`);
    });
    const followed = await run('logs', '--follow', '--limit', '5', '--level', 'warn');
    expect(followed.stdout).to.equal('10:00:00.123 INFO  [Order] order placed orderId=o-1 note="two words" trace=4bf92f35\n… 3 records left out: they came faster than they are shown\n');
    expect([followed.code, commands.admin.last?.path]).to.deep.equal([69, `/api/v1${MODULE}/logs/follow?level=warn&tail=5`]);
    expect((await run('logs', '-f', '--json')).stdout.split('\n').slice(0, 2).map((line) => JSON.parse(line) as unknown)).to.deep.equal([LOG, { dropped: 3 }]);
  });

  it('logs --export writes all that match to a new file, or to stdout', async () => {
    const lines = `${JSON.stringify(LOG)}\n${JSON.stringify(ENGINE_LOG)}\n`;
    commands.admin.answers.set(`GET ${MODULE}/logs/export`, (response) => response.writeHead(200).end(lines));
    const file = join(commands.folder, 'out.ndjson');
    expect(await printed('logs', '--export', 'out.ndjson', '--level', 'warn', '--step', 'Order')).to.equal('out.ndjson: 2 lines\n');
    expect(readFileSync(file, 'utf8')).to.equal(lines);
    expect([commands.admin.last?.path, commands.admin.last?.headers['accept-encoding']]).to.deep.equal([`/api/v1${MODULE}/logs/export?step=Order&level=warn`, undefined]);
    expect(await run('logs', '--export', 'out.ndjson')).to.deep.include({ code: 64, stderr: 'error  USAGE  "out.ndjson" exists already\n    hint: choose another name, or remove the file first\n' });
    rmSync(file);
    expect(JSON.parse(await printed('logs', '--export', 'out.ndjson', '--json'))).to.deep.equal({ file: 'out.ndjson', lines: 2 });
    for (const more of [[], ['--json']]) expect(await printed('logs', '--export', '-', ...more)).to.equal(lines);
    expect((await run('logs', '--export', 'none/out.ndjson')).stderr).to.contain('FILE_NOT_WRITABLE').and.contain('none/out.ndjson');
    for (const more of [['--follow'], ['--limit', '5']]) expect((await run('logs', '--export', '-', ...more)).code).to.equal(64);
  });

  it('logs --export leaves no file that is not whole', async () => {
    commands.admin.answers.set(`GET ${MODULE}/logs/export`, (response) => {
      response.writeHead(200).write(`${JSON.stringify(LOG)}\n`, () => response.destroy());
    });
    expect(await run('logs', '--export', 'broken.ndjson')).to.include({ code: 69, stdout: '' });
    expect(existsSync(join(commands.folder, 'broken.ndjson'))).to.equal(false);
  });

  it('traces compare shows two traces side by side', async () => {
    const pair = (depth: number, name: string, more: object): object => ({ depth, name, kind: 'internal', stepName: '', occurrence: 1, ...more });
    const error = { type: 'TypeError', message: 'no mail\nsecond line' };
    const failed = pair(1, 'Order', { stepName: 'Order', a: { durationMs: 3 }, b: { durationMs: 3.001, error }, deltaMs: 0.001 });
    const comparison = {
      a: LISTED, b: { ...LISTED, traceId: 'b'.repeat(32), durationMs: 20, errors: 0, spans: 1 }, matched: 3, onlyInA: 1, onlyInB: 1, omitted: 2, divergence: { reason: 'error', row: failed },
      rows: [
        pair(0, 'POST /orders', { a: { durationMs: 12, status: 202 }, b: { durationMs: 4, status: 500 }, deltaMs: -8 }), failed, pair(2, 'state.get', { a: { durationMs: 1 }, b: { durationMs: 2.5 }, deltaMs: 1.5 }),
        pair(2, 'process orders', { stepName: 'Notify', occurrence: 2, a: { durationMs: 5 } }), pair(1, 'bad\u001b[31m', { b: { durationMs: 0.2 } }),
      ],
    };
    answers('/traces/compare', comparison);
    expectGolden('traces-compare.txt', await printed('traces', 'compare', TRACE, 'B'.repeat(32)));
    expect(commands.admin.last?.path).to.equal(`/api/v1${MODULE}/traces/compare?a=${TRACE}&b=${'b'.repeat(32)}&limit=5000`);
    expect(JSON.parse(await printed('traces', 'compare', TRACE, 'b'.repeat(32), '--json'))).to.deep.equal(comparison);
    const last = async (divergence: object): Promise<string | undefined> => {
      answers('/traces/compare', { ...comparison, divergence });
      return (await printed('traces', 'compare', TRACE, TRACE)).trimEnd().split('\n').at(-1);
    };
    expect(await last({ reason: 'status', row: comparison.rows[0] as object })).to.equal('first difference: status of POST /orders: 202 in a, 500 in b');
    expect(await last({ reason: 'only in a', row: comparison.rows[3] as object })).to.equal('first difference: process orders [Notify] #2 is only in a');
    answers('/traces/compare', { ...comparison, divergence: undefined });
    expect(await printed('traces', 'compare', TRACE, TRACE)).to.contain('\nno difference but in durations\n');
  });

  it('traces lists traces', async () => {
    answers('/traces', { items: [LISTED, { ...LISTED, traceId: 'b'.repeat(32), name: 'Sweep', errors: 0, retries: 0, steps: [], durationMs: 61_000, partial: true }], total: 3, cursor: 'next' });
    expectGolden('traces-list.txt', await printed('traces', 'list', '--step', 'Order', '--route', '/orders', '--status', 'error', '--min-ms', '5'));
    expect(commands.admin.last?.path).to.equal(`/api/v1${MODULE}/traces?step=Order&route=%2Forders&status=error&limit=20&minDurationMs=5`);
    answers('/traces', { items: [], total: 0, note: 'telemetry is off (enabled: false)' });
    expect(await printed('traces')).to.equal('No trace matches.\nnote: telemetry is off (enabled: false)\n');
  });

  it('traces --capture writes the capture of one to a new file, digit for digit, or to stdout', async () => {
    const text = '{"format":"treadle-trace-capture","amount":9007199254740993}\n';
    commands.admin.answers.set(`GET /traces/${TRACE}/capture`, (response) => response.writeHead(200).end(text));
    expect(await printed('traces', TRACE, '--capture', 'order.json')).to.equal('order.json: open it in a console, at Traces\n');
    expect(readFileSync(join(commands.folder, 'order.json'), 'utf8')).to.equal(text);
    expect((await run('traces', TRACE, '--capture', 'order.json')).stderr).to.contain('"order.json" exists already');
    for (const more of [[], ['--json']]) expect(await printed('traces', TRACE, '--capture', '-', ...more)).to.equal(text);
    expect(await run('traces', '--capture', 'other.json')).to.deep.include({ code: 64, stderr: 'error  USAGE  --capture needs the id of a trace\n    hint: "treadle traces" shows them\n' });
  });

  it('traces draws one as a tree with waits, attempts, errors and the critical path', async () => {
    answers(`/traces/${TRACE}`, DETAIL);
    expectGolden('traces-one.txt', await printed('traces', TRACE));
    expect(JSON.parse(await printed('traces', TRACE, '--json'))).to.deep.equal(DETAIL);
  });

  it('say what is wrong with what they were asked, exit code 64', async () => {
    answers(`/traces/${TRACE}`, { status: 404, detail: 'nothing is known of that trace', code: 'not_found' }, 404);
    const cases: readonly (readonly [readonly string[], string])[] = [
      [['traces', 'compare', TRACE, 'abc'], '"abc" is not a trace id: give its 32 hex digits, or the first 4 or more of them\n    hint: "treadle traces" shows them'],
      [['traces', 'abc'], '"abc" is not a trace id: give its 32 hex digits, or the first 4 or more of them\n    hint: "treadle traces" shows them'],
      [['logs', '--since', 'yesterday'], '--since must be a span of time such as 10m or 2h, or a time such as 2026-03-01T10:00:00Z, got "yesterday"'],
    ];
    for (const [args, text] of cases) expect(await run(...args)).to.deep.equal({ code: 64, stdout: '', stderr: `error  USAGE  ${text}\n` });
    expect(await run('traces', TRACE)).to.deep.equal({ code: 1, stdout: '', stderr: 'error  NOT_FOUND  nothing is known of that trace\n' });
  });

  it('take trace ids as they are printed: whole, shortened, and with the word before them', async () => {
    answers('/logs', { items: [LOG], total: 1 });
    answers('/traces/4bf92f35', DETAIL);
    for (const written of ['4bf92f35', 'trace=4bf92f35', '4BF92F35']) {
      await printed('logs', '--trace', written);
      expect(commands.admin.last?.path).to.include('traceId=4bf92f35&');
      expect(JSON.parse(await printed('traces', written, '--json'))).to.deep.equal(DETAIL);
    }
  });
});

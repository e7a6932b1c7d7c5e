import { expect } from 'chai';
import { AdminClient } from '../support/admin-client.js';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { pipelinedRequests } from '../support/pipelined-requests.js';
import { getStep } from '../support/sample-steps.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

/** `TREADLE_PATHS=100000` for the long form. */
const PATHS = Number(process.env['TREADLE_PATHS'] ?? 20_000);
const REQUESTS = 20_000;
const SOCKETS = 4;
const RATIO = 0.1;
const WAIT_MS = 300_000;
const OTEL = `/modules/${encodeURIComponent('modules::observability::OtelModule')}`;

const config = (otel: string): string => `modules:
  - { class: modules::http::HttpModule, config: { port: 0, max_event_loop_delay_ms: 60000 } }
  - { class: modules::console::ConsoleModule, config: { port: 0 } }
  - { class: modules::steps::StepsModule, config: { port: false, runtimes: [{ class: modules::runtime::adapters::Node, config: { workers: 2 } }] } }
  - { class: modules::queue::QueueModule, config: { adapter: { class: modules::queue::adapters::Sqlite, config: { store_method: in_memory } } } }
  - { class: modules::observability::OtelModule, config: { ${otel} } }
`;

const link = (name: string, trigger: string, next?: string): string => `
export const config = { name: '${name}', triggers: [{ ${trigger} }], enqueues: [${next ? `'${next}'` : ''}] };
export const handler = async (input, { enqueue }) => { ${next ? `await enqueue({ topic: '${next}', data: {} }); ` : ''}return { status: 202, body: {} }; };
`;

async function started(files: Readonly<Record<string, string>>, path: string): Promise<{ readonly engine: EngineProcess; readonly url: string }> {
  const engine = new EngineProcess({ cwd: tempApplication(files), args: ['--config', 'config.yaml'] });
  const url = await engine.ready();
  await waitUntil('the Steps', async () => (await request('GET', url + path)).status === 200);
  return { engine, url };
}

async function series(engine: EngineProcess): Promise<readonly string[]> {
  const { text } = await request('GET', `${await engine.address('console')}/metrics`);
  return text.split('\n').filter((line) => line.startsWith('http_server_request_'));
}

describe('telemetry at scale', function () {
  this.timeout(WAIT_MS * 2);
  afterEach(stopAllEngines);

  it(`counts ${PATHS} requests for as many paths with the labels that one of them makes`, async () => {
    const { engine, url } = await started({ 'steps/hello.step.js': getStep('Hello', '/hello/:name', '{}'), 'config.yaml': config('') }, '/hello/x');
    const ask = (target: (n: number) => string, count: number): Promise<void> => pipelinedRequests({ url, count, sockets: SOCKETS, line: (n) => target(n), onHead: () => undefined });
    // One of each kind, then many.
    const kinds: readonly ((n: number) => string)[] = [(n) => `GET /nowhere/${n}`, (n) => `GET /hello/${n}?page=${n}`, (n) => `DELETE /hello/${n}`, (n) => `POST /nowhere/${n}/x`];
    for (const kind of kinds) await ask(kind, 1);
    const before = await series(engine);
    for (const kind of kinds) await ask(kind, PATHS / kinds.length);
    const after = await series(engine);
    const labels = (lines: readonly string[]): string[] => lines.map((line) => line.slice(0, line.lastIndexOf(' '))).sort();
    expect(labels(after)).to.deep.equal(labels(before));
    expect(after.filter((line) => line.includes('"404"') && line.includes('http_route'))).to.deep.equal([]);
    const count = (lines: readonly string[], ...parts: readonly string[]): number => lines
      .filter((line) => line.startsWith('http_server_request_count_total') && parts.every((part) => line.includes(part))).reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    const each = PATHS / kinds.length;
    for (const parts of [['"GET"', '"404"'], ['"GET"', '"/hello/:name"', '"200"'], ['"DELETE"', '"405"'], ['"POST"', '"404"']]) {
      expect(count(after, ...parts) - count(before, ...parts), parts.join()).to.equal(each);
    }
  });

  it(`keeps ${RATIO * 100} % of ${REQUESTS} traces, those that their ids choose, each whole over two queue hops and two workers`, async () => {
    const { engine, url } = await started({
      'steps/go.step.js': link('Go', "type: 'http', method: 'POST', path: '/go'", 'one'), 'steps/one.step.js': link('One', "type: 'queue', topic: 'one', config: { concurrency: 200 }", 'two'),
      'steps/two.step.js': link('Two', "type: 'queue', topic: 'two', config: { concurrency: 200 }"), 'steps/hello.step.js': getStep('Hello', '/hello', '{}'),
      'config.yaml': config(`sampling_ratio: ${RATIO}, memory_max_spans: 50000, level: warn`),
    }, '/hello');
    const ids: string[] = [];
    await pipelinedRequests({
      url, count: REQUESTS, sockets: SOCKETS, line: () => 'POST /go', onHead: (head) => {
        expect(head).to.match(/^HTTP\/1.1 202 /);
        ids.push(/\r\nx-trace-id: ([0-9a-f]{32})/.exec(head)?.[1] ?? head);
      },
    });
    const admin = new AdminClient(engine);
    const settled = async (): Promise<boolean> => (await admin.subscriptions()).every(({ waiting, retrying, delayed, active }) => waiting + retrying + delayed + active === 0);
    await waitUntil('the last delivery', settled, WAIT_MS);
    const chosen = new Set(ids.filter((id) => Number.parseInt(id.slice(-8), 16) < RATIO * 2 ** 32));
    // One percent is 4.7 standard deviations of what chance gives: about one run in 400,000 is outside.
    expect(chosen.size / REQUESTS).to.be.within(RATIO - 0.01, RATIO + 0.01);
    const kept = await keptTraces(admin);
    expect(new Set(kept.map(({ traceId }) => traceId)).size).to.equal(kept.length);
    expect(kept.filter(({ traceId }) => !chosen.has(traceId))).to.deep.equal([]);
    expect(kept.length).to.equal(chosen.size);
    // Server, and for each of three handlers its own span; two messages, each published and consumed.
    expect(kept.filter(({ spans, errors, partial }) => spans !== 8 || errors !== 0 || partial)).to.deep.equal([]);
    expect(new Set(kept.map(({ steps }) => [...steps].sort().join()))).to.deep.equal(new Set(['Go,One,Two']));
  });
});

interface Kept { readonly traceId: string; readonly spans: number; readonly errors: number; readonly partial: boolean; readonly steps: readonly string[] }

async function keptTraces(admin: AdminClient): Promise<readonly Kept[]> {
  const items: Kept[] = [];
  for (let cursor = ''; ;) {
    const page = await admin.call<{ items: readonly Kept[]; cursor?: string }>('GET', `${OTEL}/traces?step=Go&limit=500${cursor}`);
    items.push(...page.items);
    if (page.cursor === undefined) return items;
    cursor = `&cursor=${encodeURIComponent(page.cursor)}`;
  }
}

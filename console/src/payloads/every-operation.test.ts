import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { answerFaults } from '../api/answer-faults.fixture.js';
import { type ShopUnderTest, startShop, until } from '../application.fixture.js';
import type { CronTrigger, Items, Job, LogPage, NamedTopic, RunRecord, Selection, StateHistory, StateItem, TraceView } from '../contract/index.js';
import { WITHHELD } from './stand-in.js';

const MARKER = 'only-in-a-payload';
const UNSEEING = 'a-token-without-payloads';
/** Whose answers have payloads, and are asked by GET or as a question. Nobody who sees none finds one there. */
const WITH_PAYLOADS = [
  'GET /history', 'GET /history/{id}', 'GET /logs', 'GET /logs/context', 'GET /logs/export', 'GET /logs/facets', 'GET /queues/dead-letters', 'GET /queues/dead-letters/{id}', 'GET /queues/messages', 'GET /queues/search',
  'GET /state/groups/{group}/keys', 'GET /state/groups/{group}/keys/{key}', 'GET /state/groups/{group}/keys/{key}/history', 'GET /state/groups/{group}/search', 'GET /steps/inputs/{span}',
  'GET /streams/{stream}/groups/{group}', 'GET /streams/{stream}/groups/{group}/items/{id}', 'GET /traces/groups', 'GET /traces/{id}', 'GET /traces/{id}/capture', 'GET /traces/{id}/otlp', 'GET /traces/{id}/spans', 'POST /logs/facets', 'POST /logs/search',
];
/** Refused altogether. */
const REFUSED = ['GET /logs/export', 'GET /traces/{id}/otlp'];
/** What is asked with more than the path, and what a change is sent. */
interface Given {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  /** Or what gives it. */
  readonly body?: unknown;
}
interface Answered {
  readonly status: number;
  readonly text: string;
}

/** By operations, e.g. `GET /traces/{id}`; those that are not here take nothing. */
async function givenFor(shop: ShopUnderTest, folder: string): Promise<Readonly<Record<string, Given>>> {
  const { json } = shop;
  const { items: [run] } = await json<Items<RunRecord>>('GET', '/history?kind=http');
  const { items: [letter, dying] } = await json<Items<{ readonly id: string }>>('GET', '/queues/dead-letters');
  const { items: [line] } = await json<LogPage>('GET', '/logs?q=message:"an order was placed"');
  const { items: [change] } = await json<StateHistory>('GET', '/state/groups/orders/keys/o-1/history');
  const traceId = run?.traceId ?? '';
  const { rows } = await json<TraceView>('GET', `/traces/${traceId}`);
  const handler = rows.find(({ name }) => name.startsWith('handler '));
  const selection = await json<Selection>('POST', '/selections', { kind: 'dead-letters', ids: [dying?.id] });
  const job = await json<Job>('POST', '/jobs', { selection: selection.id, count: selection.count, action: 'redrive', canary: true });
  const again = await json<Selection>('POST', '/selections', { kind: 'dead-letters' });
  const { items: [yearly] } = await json<Items<CronTrigger>>('GET', '/cron');
  const [key, item, trace] = [{ group: 'orders', key: 'o-1' }, { stream: 'orders', group: 'all', id: 'o-1' }, { id: traceId }];
  const cron = { step: 'Yearly' };
  const backup = (name: string): Given => ({ body: { file: join(folder, name) } });
  return {
    'GET /cron/expression': { query: 'expression=0%209%20*%20*%20*' }, 'GET /go/{id}': { path: { id: traceId } }, 'GET /history/{id}': { path: { id: run?.id ?? '' } }, 'GET /jobs/{id}': { path: { id: job.id } },
    'GET /logs/context': { query: `id=${line?.id ?? 0}` }, 'GET /metrics/lines': { query: 'name=http.server.request.count' }, 'GET /metrics/series': { query: 'name=http.server.request.count' },
    'GET /queues/dead-letters/{id}': { path: { id: letter?.id ?? '' } }, 'GET /queues/messages': { query: 'step=Notify' }, 'GET /queues/search': { query: 'topic=orders.placed' }, 'GET /state/groups/{group}/keys': { path: key }, 'GET /state/groups/{group}/keys/{key}': { path: key },
    'GET /state/groups/{group}/keys/{key}/expiry': { path: key }, 'GET /state/groups/{group}/keys/{key}/history': { path: key }, 'GET /state/groups/{group}/search': { path: key, query: 'q=key:o*' }, 'GET /state/groups/{group}/tree': { path: key },
    'GET /steps/inputs/{span}': { path: { span: handler?.spanId ?? '' } }, 'GET /steps/{id}/source': { path: { id: 'Order' } }, 'GET /streams/{stream}/groups': { path: item }, 'GET /streams/{stream}/groups/{group}': { path: item }, 'GET /streams/{stream}/groups/{group}/items/{id}': { path: item },
    'GET /traces/failures': { query: 'step=Notify' }, 'GET /traces/compare': { query: `a=${traceId}&b=${traceId}` }, 'GET /traces/groups': { query: 'by=order.note' }, 'GET /traces/{id}': { path: trace }, 'GET /traces/{id}/capture': { path: trace }, 'GET /traces/{id}/otlp': { path: trace },
    'GET /traces/{id}/path': { path: trace }, 'GET /traces/{id}/spans': { path: trace, query: `parent=${handler?.parentSpanId ?? ''}` }, 'POST /traces/compare': { body: { a: traceId, b: traceId } },
    'DELETE /streams/connections/{id}': { path: { id: 'nobody' } }, 'DELETE /streams/{stream}/groups/{group}/items/{id}': { path: item }, 'DELETE /state/groups/{group}/keys/{key}': { path: key },
    'POST /backup': backup('all'), ...Object.fromEntries(['cron', 'queue', 'state', 'stream'].map((block) => [`POST /modules/modules::${block}::adapters::Sqlite/backup`, backup(block)])),
    'POST /cron/pause': { body: cron }, 'POST /cron/resume': { body: cron }, 'POST /cron/run': { body: cron }, 'POST /cron/skip': { body: { ...cron, at: yearly?.nextAt } }, 'POST /jobs': { body: { selection: again.id, count: again.count, action: 'discard', canary: true } },
    'POST /jobs/{id}/cancel': { path: { id: job.id } }, 'POST /jobs/{id}/pause': { path: { id: job.id } }, 'POST /jobs/{id}/resume': { path: { id: job.id } },
    'POST /queues/dead-letters/discard': { body: { all: true } }, 'POST /queues/dead-letters/redrive': { body: { all: true } }, 'POST /queues/messages': { body: { topic: 'orders.placed', data: { note: MARKER }, headers: { note: MARKER } } },
    'POST /queues/pause': { body: { step: 'Notify' } }, 'POST /queues/purge': { body: { step: 'Notify' } }, 'POST /queues/resume': { body: { step: 'Notify' } },
    'POST /run': { body: { kind: 'http', method: 'POST', path: `/orders?note=${MARKER}`, headers: { 'content-type': 'application/json', note: MARKER }, body: JSON.stringify({ id: 'o-3', note: MARKER }) } },
    'POST /selections': { body: { kind: 'state-keys', group: 'orders' } }, 'POST /state/groups/{group}/keys/{key}/restore': { path: key, body: { change: change?.id } }, 'POST /steps/replay': { body: { span: handler?.spanId } },
    'PUT /state/groups/{group}/keys/{key}': { path: key, body: { value: MARKER } }, 'PUT /state/groups/{group}/keys/{key}/expiry': { path: key, body: async () => ({ ttlMs: null, revision: (await json<StateItem>('GET', '/state/groups/orders/keys/o-1')).revision }) },
    'PUT /streams/{stream}/groups/{group}/items/{id}': { path: item, body: { value: { id: 'o-1', note: MARKER } } },
  };
}

describe('payloads are withheld from a caller who sees none', function () {
  this.timeout(120_000);
  let shop: ShopUnderTest;
  let folder: string;
  let operations: readonly string[];
  let given: Readonly<Record<string, Given>>;
  const sockets: WebSocket[] = [];

  const ask = async (operation: string, token: string, { path = {}, query, body }: Given = given[operation] ?? {}): Promise<Answered> => {
    const [method = '', template = ''] = operation.split(' ');
    const where = template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(path[name] ?? `no-${name}`));
    const sent = method !== 'GET' && { body: JSON.stringify((typeof body === 'function' ? await (body as () => Promise<unknown>)() : body) ?? {}) };
    const answer = await fetch(`http://127.0.0.1:${shop.port}/api/v1${where}${query === undefined ? '' : `?${query}`}`, { method, headers: { authorization: `Bearer ${token}`, 'x-console': '1', 'content-type': 'application/json' }, ...sent });
    return { status: answer.status, text: `${JSON.stringify([...answer.headers])}\n${await answer.text()}` };
  };
  const holds = ({ text }: Answered): boolean => text.includes(MARKER) || text.includes(Buffer.from(MARKER).toString('base64'));
  const isQuestion = (operation: string): boolean => operation.startsWith('GET ') || /\/(?:search|facets|histogram|compare)$/.test(operation);

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'treadle-payloads-'));
    shop = await startShop();
    const { json } = shop;
    for (const id of ['o-2', 'o-4']) await shop.order({ id, fail: true, note: MARKER });
    await json('POST', '/run', { kind: 'http', method: 'POST', path: `/orders?note=${MARKER}`, headers: { 'content-type': 'application/json', note: MARKER }, body: JSON.stringify({ id: 'o-1', note: MARKER }) });
    await until('its effects', async () => (await json<Items<unknown>>('GET', '/queues/dead-letters')).items.length === 2 && (await json<{ items: readonly unknown[] }>('GET', '/streams/orders/groups/all')).items.length === 1);
    await json('POST', '/run', { kind: 'queue', topic: 'orders.placed', data: { note: MARKER }, headers: { note: MARKER }, delayMs: 3_600_000 });
    await json('POST', '/run', { kind: 'stream', stream: 'orders', group: 'all', id: 'o-1', data: { id: 'o-1', note: MARKER } });
    await json('GET', '/state/groups/orders/keys/o-1/history');
    await json('PUT', '/state/groups/orders/keys/o-1', { value: { note: MARKER } });
    const { paths } = await json<{ readonly paths: Readonly<Record<string, object>> }>('GET', '/openapi.json');
    operations = Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.slice('/api/v1'.length)}`));
    given = await givenFor(shop, folder);
  });
  after(async () => {
    for (const socket of sockets) socket.terminate();
    await shop?.stop();
    rmSync(folder, { recursive: true });
  });

  it('whatever arguments there are: each is known to ask for none, or is looked at', async () => {
    const { paths } = await shop.json<{ readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly parameters: readonly { readonly in: string; readonly name: string }[] }>>>> }>('GET', '/openapi.json');
    const names = Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ parameters }) => parameters.filter((one) => one.in === 'query').map(({ name }) => name)));
    const askForNone = [
      'a', 'aSpan', 'after', 'around', 'b', 'bSpan', 'before', 'buckets', 'count', 'cursor', 'expression', 'fingerprint', 'format', 'from', 'group', 'id', 'key', 'kind', 'labels', 'level', 'limit', 'lines', 'maxDurationMs', 'minDurationMs', 'name', 'order', 'parent',
      'prefix', 'reason', 'route', 'scope', 'separators', 'since', 'spanId', 'state', 'status', 'step', 'stream', 'tail', 'target', 'timezone', 'to', 'topic', 'traceId', 'trigger', 'until', 'windowMs',
    ];
    expect([...new Set(names)].filter((name) => !askForNone.includes(name)), 'does it ask what a payload holds? see payload-questions.ts').to.have.members(['attributes', 'by', 'fields', 'q', 'text']);
  });

  it('in the answer to every question of the OpenAPI document', async () => {
    const [shown, leaks, refused, faults]: [string[], string[], string[], string[]] = [[], [], [], []];
    for (const operation of operations.filter((one) => isQuestion(one) && !/\/(?:follow|watch)$/.test(one))) {
      const [all, none] = [await ask(operation, shop.token), await ask(operation, UNSEEING)];
      expect(all.status, `${operation}: ${all.text}`).to.equal(200);
      if (holds(all)) shown.push(operation);
      if (holds(none)) leaks.push(operation);
      const body = none.text.slice(none.text.indexOf('\n') + 1);
      if (none.status === 403) refused.push(operation);
      else if (body.startsWith('{')) faults.push(...answerFaults(operation.split(' ')[0] ?? '', (operation.split(' ')[1] ?? '').replaceAll(/\{(\w+)\}/g, ':$1'), JSON.parse(body)));
    }
    expect(shown).to.have.members(WITH_PAYLOADS);
    expect(leaks).to.deep.equal([]);
    expect(refused).to.have.members([...REFUSED, 'GET /traces/groups']);
    expect(faults, 'what stands in their place fits the schemas').to.deep.equal([]);
  });

  it('in what every change of the OpenAPI document answers', async () => {
    const changes = operations.filter((one) => !isQuestion(one)).sort((a, b) => Number(a.startsWith('DELETE')) - Number(b.startsWith('DELETE')));
    expect(changes.length).to.be.greaterThan(25);
    const leaks: string[] = [];
    for (const operation of changes) {
      const answer = await ask(operation, UNSEEING);
      if (holds(answer)) leaks.push(operation);
      const [kind] = [answer.status < 300 || [404, 409, 422].includes(answer.status)];
      expect(kind, `${operation}: ${answer.text}`).to.equal(true);
    }
    expect(leaks).to.deep.equal([]);
    for (const operation of ['POST /run', 'PUT /state/groups/{group}/keys/{key}', 'PUT /state/groups/{group}/keys/{key}/expiry', 'PUT /streams/{stream}/groups/{group}/items/{id}']) {
      expect(holds(await ask(operation, shop.token)), operation).to.equal(true);
      expect((await ask(operation, UNSEEING)).text, operation).to.contain(WITHHELD);
    }
  });

  it('in server-sent events', async () => {
    const events = operations.filter((one) => /\/(?:follow|watch)$/.test(one));
    expect(events).to.have.members(['GET /logs/follow', 'GET /traces/follow', 'GET /state/follow', 'GET /streams/watch']);
    const read = async (operation: string, token: string): Promise<{ text(): string; end(): Promise<void> }> => {
      const response = await fetch(`http://127.0.0.1:${shop.port}/api/v1${operation.slice(4)}${operation.endsWith('watch') ? '?stream=orders&group=all' : ''}`, { headers: { authorization: `Bearer ${token}` } });
      expect(response.status, operation).to.equal(200);
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      let text = '';
      const done = (async () => {
        for (let part = await reader.read(); !part.done; part = await reader.read()) text += Buffer.from(part.value).toString();
      })();
      return { text: () => text, end: async () => { await reader.cancel(); await done; } };
    };
    const feeds = await Promise.all(events.map(async (operation) => ({ operation, all: await read(operation, shop.token), none: await read(operation, UNSEEING) })));
    await shop.order({ id: 'o-5', note: MARKER });
    await until('the events', () => feeds.every(({ all, none }) => [all, none].every((feed) => feed.text().includes('data: '))) && feeds.filter(({ all }) => all.text().includes(MARKER)).length === 3);
    await until('the withheld ones', () => feeds.filter(({ none }) => none.text().includes(WITHHELD)).length === 3);
    expect(feeds.filter(({ none }) => none.text().includes(MARKER)).map(({ operation }) => operation)).to.deep.equal([]);
    await Promise.all(feeds.flatMap(({ all, none }) => [all.end(), none.end()]));
  });

  it('in every topic of the live channel', async () => {
    const topics: Readonly<Record<NamedTopic, Readonly<Record<string, string>>>> = {
      overview: {}, queues: {}, findings: {}, flows: {}, steps: {}, modules: {}, jobs: {}, logs: { tail: '100' }, traces: {}, state: {}, stream: { stream: 'orders', group: 'all' }, join: { stream: 'orders', group: 'all' },
    };
    const listen = async (token: string): Promise<() => string> => {
      const socket = new WebSocket(`ws://127.0.0.1:${shop.port}/api/v1/live`, { headers: { authorization: `Bearer ${token}` } });
      sockets.push(socket);
      let text = '';
      socket.on('message', (data: Buffer) => void (text += data.toString()));
      await new Promise((resolve) => socket.on('open', resolve));
      for (const [topic, query] of Object.entries(topics)) socket.send(JSON.stringify({ type: 'subscribe', id: topic, topic, query }));
      return () => text;
    };
    const [all, none] = [await listen(shop.token), await listen(UNSEEING)];
    const heard = (text: string): readonly string[] => Object.keys(topics).filter((topic) => new RegExp(`"type":"(?:snapshot|delta)","id":"${topic}"`).test(text));
    await until('the joins', () => [all, none].every((text) => heard(text()).includes('join')));
    await shop.order({ id: 'o-6', note: MARKER });
    await until('all topics', () => [all, none].every((text) => heard(text()).length === Object.keys(topics).length)).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${heard(none()).join()} of ${heard(all()).join()}; ${none().slice(-2000)}`);
    });
    await until('an item for who sees it', () => all().includes(MARKER));
    expect(none()).to.contain(WITHHELD).and.not.to.contain(MARKER);
  });
});

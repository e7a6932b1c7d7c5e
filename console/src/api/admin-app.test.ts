import { AdminError, OperationError, treadleError } from '@treadle/api';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { type ConsoleUnderTest, moduleOf, startConsole, statusAndJson } from '../console.fixture.js';
import type { AuditEntry, Page } from '../contract/index.js';

const PROBE = moduleOf('acme::queue::ProbeModule', ({ admin }) => {
  admin.get('/', async ({ query }) => ({ query }));
  admin.get('/items/:id', async ({ params, body }) => ({ params, body: body ?? 'none' }));
  admin.get('/items/all', async () => 'the literal one');
  admin.post('/items', async ({ body }) => ({ body }));
  admin.put('/a/:one/b/:two', async ({ params }) => params);
  admin.delete('/items/:id', async () => undefined);
  admin.get('/null', async () => null);
  admin.post('/fail/:how', async ({ params }) => {
    if (params['how'] === 'admin') throw new AdminError(409, 'paused_already', 'it is paused already');
    if (params['how'] === 'operation') throw new OperationError('NoSuchTopic', 'there is no topic');
    if (params['how'] === 'full') throw new OperationError('QueueFull', 'the queue is full');
    if (params['how'] === 'treadle') throw treadleError('FILE_NOT_WRITABLE', { file: 'x', reason: 'because' });
    throw new Error('secret inside');
  });
});

describe('the admin API', () => {
  let console: ConsoleUnderTest;
  before(async () => {
    console = await startConsole({ plugins: [PROBE], modules: '  - class: acme::queue::ProbeModule' });
  });
  after(() => console.test.stop());

  const answer = async (method: string, path: string, body?: unknown): Promise<readonly unknown[]> => statusAndJson(await console.ask(method, `/api/v1${path}`, body));

  it('tells of the engine', async () => {
    const { json } = await console.ask('GET', '/api/v1/engine') as { json: Record<string, unknown> };
    expect(json).to.include({ mode: 'production', dataDir: console.test.dataDir, root: console.test.root, pid: process.pid });
    expect(json).to.have.property('version').that.matches(/^\d+\.\d+\.\d+/);
    expect(json['addresses']).to.deep.equal({ console: `http://127.0.0.1:${console.port}` });
    expect(json['health']).to.deep.equal({ status: 'ok' });
  });

  it('tells of modules, how they are and what they serve', async () => {
    const { json } = await console.ask('GET', '/api/v1/modules') as { json: { items: Record<string, unknown>[] } };
    expect(json.items.map(({ id, kind, status }) => [id, kind, status])).to.have.deep.members([
      ['modules::console::ConsoleModule', 'module', 'ok'], ['acme::queue::ProbeModule', 'module', 'ok'],
    ]);
    expect(json.items.find(({ id }) => id === 'acme::queue::ProbeModule')?.['routes']).to.deep.include({ method: 'GET', path: '/items/:id' });
  });

  it('lists its routes at the root of the API, and describes them as OpenAPI', async () => {
    const { json: index } = await console.ask('GET', '/api/v1') as { json: { openapi: string; items: { method: string; path: string }[] } };
    expect(index.items.map(({ method, path }) => `${method} ${path}`)).to.include.members([
      'GET /api/v1', 'GET /api/v1/engine', 'POST /api/v1/backup', 'GET /api/v1/queues', 'GET /api/v1/queues/items/:id', 'POST /api/v1/queues/fail/:how',
    ]);
    const { json: document } = await console.ask('GET', index.openapi) as { json: { paths: Record<string, Record<string, { operationId: string }>> } };
    expect(await new Validator().validate(structuredClone(document))).to.deep.equal({ valid: true });
    expect(Object.keys(document.paths['/api/v1/queues/items/{id}'] ?? {})).to.have.members(['get', 'delete']);
    const ids = Object.values(document.paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
    expect(ids).to.include('get_queues_items_by_id').and.satisfy((all: string[]) => new Set(all).size === all.length);
  });

  it('says that there are no Steps without a module for them', async () => {
    expect(await answer('GET', '/steps')).to.deep.equal([404, { status: 404, detail: 'no module of this engine provides Steps', code: 'module_not_loaded' }]);
  });

  const routes: readonly (readonly [string, string, unknown, unknown])[] = [
    ['GET', '/queues', undefined, [200, { query: {} }]],
    ['GET', '/queues/?step=a%20b&topic=', undefined, [200, { query: { step: 'a b', topic: '' } }]],
    ['GET', '/modules/acme::queue::ProbeModule/items/7', undefined, [200, { params: { id: '7' }, body: 'none' }]],
    ['GET', '/modules/acme%3A%3Aqueue%3A%3AProbeModule/items/7', undefined, [200, { params: { id: '7' }, body: 'none' }]],
    ['GET', '/queues/items/a%2Fb%20%F0%9F%98%80', undefined, [200, { params: { id: 'a/b 😀' }, body: 'none' }]],
    ['GET', '/queues/items/..', undefined, [200, { params: { id: '..' }, body: 'none' }]],
    ['GET', '/queues/items/__proto__', undefined, [200, { params: { id: '__proto__' }, body: 'none' }]],
    ['GET', '/queues/items/all', undefined, [200, 'the literal one']],
    ['GET', '/queues/null', undefined, [200, null]],
    ['PUT', '/queues/a/1/b/2', {}, [200, { one: '1', two: '2' }]],
    ['POST', '/queues/items', { a: [1, 'é'] }, [200, { body: { a: [1, 'é'] } }]],
    ['DELETE', '/queues/items/7', undefined, [204]],
    ['GET', '/queues/items/%ff', undefined, [400, { status: 400, detail: 'the path holds "%ff", which is not percent-encoded UTF-8', code: 'bad_path' }]],
    ['GET', '/queues/items//', undefined, [404, { status: 404, detail: 'queue module serves nothing at /api/v1/queues/items//', code: 'not_found' }]],
    ['PUT', '/queues/items', {}, [405, { status: 405, detail: 'PUT is not served at /api/v1/queues/items; POST', code: 'method_not_allowed' }]],
    ['GET', '/streams', undefined, [404, { status: 404, detail: 'this engine has no stream module', code: 'module_not_loaded' }]],
    ['GET', '/modules/acme::queue::Other/x', undefined, [404, { status: 404, detail: 'this engine has no module or adapter "acme::queue::Other"', code: 'module_not_loaded' }]],
    ['GET', '/nowhere', undefined, [404, { status: 404, detail: 'nothing is served at /api/v1/nowhere', code: 'not_found' }]],
    ['GET', '/constructor', undefined, [404, { status: 404, detail: 'nothing is served at /api/v1/constructor', code: 'not_found' }]],
    ['POST', '/queues/fail/admin', {}, [409, { status: 409, detail: 'it is paused already', code: 'paused_already' }]],
    ['POST', '/queues/fail/operation', {}, [422, { status: 422, detail: 'there is no topic', code: 'no_such_topic' }]],
    ['POST', '/queues/fail/full', {}, [503, { status: 503, detail: 'the queue is full', code: 'queue_full' }]],
    ['POST', '/queues/fail/treadle', {}, [500, { status: 500, detail: '"x" cannot be written: because', code: 'file_not_writable' }]],
    ['POST', '/queues/fail/fault', {}, [500, { status: 500, detail: "the route failed; the engine's log says more", code: 'internal_error' }]],
  ];
  for (const [method, path, body, expected] of routes) {
    it(`answers ${method} ${path}`, async () => {
      expect(await answer(method, path, body)).to.deep.equal(expected);
    });
  }

  it('has no metrics without an observability module, with or without a token', async () => {
    expect((await console.raw(['GET /metrics HTTP/1.1', 'Host: localhost:{}'])).status).to.equal(404);
    expect((await console.ask('GET', '/metrics')).status).to.equal(404);
  });

  it('answers HEAD as GET, without the body', async () => {
    const { status, headers, body } = await console.ask('HEAD', '/api/v1/queues');
    expect([status, headers['content-length'], body]).to.deep.equal([200, '12', '']);
  });

  const bodies: readonly (readonly [string, string, number, string])[] = [
    ['no JSON', '{"a":', 400, 'invalid_json'], ['too large a body', `"${'x'.repeat(1024 * 1024)}"`, 413, 'body_too_large'],
  ];
  for (const [what, text, status, code] of bodies) {
    it(`answers ${what} with ${status}`, async () => {
      const answered = await console.raw([
        'POST /api/v1/queues/items HTTP/1.1', 'Host: localhost:{}', `Authorization: Bearer ${console.token}`, 'Content-Type: application/json', 'X-Console: 1',
        `Content-Length: ${Buffer.byteLength(text)}`,
      ], text);
      expect(answered.status).to.equal(status);
      expect(JSON.parse(answered.body)).to.have.property('code', code);
    });
  }

  it('takes a body of a little less than 1 MiB', async () => {
    expect((await console.ask('POST', '/api/v1/queues/items', 'x'.repeat(1024 * 1024 - 2))).status).to.equal(200);
  });

  it('names every request, in the header of its answer, in a refusal, in the log and in the audit', async () => {
    const asked = [
      await console.ask('GET', '/api/v1/engine'), await console.ask('POST', '/api/v1/queues/items', {}), await console.ask('POST', '/api/v1/queues/fail/fault', {}), await console.ask('DELETE', '/api/v1/queues/items/7'),
      await console.raw(['GET /api/v1/engine HTTP/1.1', 'Host: elsewhere:{}']), await console.raw(['GET /api/v1/engine HTTP/1.1', 'Host: localhost:{}']),
      await console.raw(['GET /api/v1/live HTTP/1.1', 'Host: localhost:{}', 'Connection: Upgrade', 'Upgrade: websocket']),
    ];
    expect(asked.map(({ status }) => status)).to.deep.equal([200, 200, 500, 204, 403, 401, 401]);
    const ids = asked.map(({ headers }) => headers['x-request-id']);
    expect(ids.join()).to.match(/^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12},?){7}$/).and.satisfy(() => new Set(ids).size === ids.length);
    for (const { status, body, headers } of asked.filter((one) => one.status >= 400)) expect(JSON.parse(body), String(status)).to.have.property('requestId', headers['x-request-id']);
    const { json: { items } } = await console.ask('GET', '/api/v1/audit?limit=3') as { json: Page<AuditEntry> };
    expect(items.map(({ requestId }) => requestId)).to.deep.equal([ids[3], ids[2], ids[1]]);
    const told = console.test.logs.filter(({ message }) => message === 'admin request' || message === 'an admin route failed').map(({ fields }) => fields?.['requestId']);
    expect(told.slice(-4)).to.deep.equal([ids[1], ids[2], ids[2], ids[3]]);
  });

  it('leaves a line for everything that may change something, without what was sent, and none for reading', async () => {
    const before = console.test.logs.length;
    await console.ask('GET', '/api/v1/queues');
    await console.ask('POST', '/api/v1/queues/items', { password: 'hunter2' });
    await console.ask('POST', '/api/v1/queues/fail/admin', {});
    await console.ask('POST', '/api/v1/queues/fail/fault', {});
    const lines = console.test.logs.slice(before);
    expect(lines.filter(({ message }) => message === 'admin request').map(({ fields }) => [fields?.['method'], fields?.['path'], fields?.['status']])).to.deep.equal([
      ['POST', '/api/v1/queues/items', 200], ['POST', '/api/v1/queues/fail/admin', 409], ['POST', '/api/v1/queues/fail/fault', 500],
    ]);
    expect(lines.filter(({ level }) => level === 'error').map(({ fields }) => fields?.['error'])).to.deep.equal(['secret inside']);
    expect(JSON.stringify(lines)).not.to.contain('hunter2');
  });
});

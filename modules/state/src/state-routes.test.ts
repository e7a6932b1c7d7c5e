import type { AdminError, AdminRequest, AdminRoutes } from '@treadle/api';
import { StatePort } from '@treadle/api';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import keyv from '@treadle/plugin-keyv';
import { expect } from 'chai';
import state from './index.js';
import { addStateRoutes } from './state-routes.js';
import { StateService } from './state-service.js';

const YAML = `
engine: { implicit_modules: false }
modules: [{ class: modules::state::StateModule, config: { adapter: { class: modules::state::adapters::KvStore } } }]
`;

type Handle = (request: AdminRequest) => Promise<unknown>;

describe('admin routes of state', () => {
  const handlers = new Map<string, Handle>();
  let test: TestComposition;
  before(async () => {
    test = await createTestComposition({ builtins: [state, keyv], yaml: YAML });
    const add = (method: string) => (path: string, handle: Handle): void => void handlers.set(`${method} ${path}`, handle);
    const routes = { get: add('GET'), post: add('POST'), put: add('PUT'), delete: add('DELETE'), events: () => undefined };
    addStateRoutes(routes satisfies AdminRoutes, test.engine.port(StatePort) as StateService);
  });
  after(() => test.stop());

  const call = async (route: string, request: Partial<AdminRequest> = {}): Promise<unknown> => {
    const answer = handlers.get(route)?.({ params: {}, query: {}, body: undefined, ...request });
    return answer?.catch((error: AdminError) => `${error.status} ${error.code}: ${error.message}`);
  };
  const KEY = '/groups/:group/keys/:key';
  const params = { group: 'a/b', key: 'k 1' };

  it('write, read and delete one key', async () => {
    expect(await call(`PUT ${KEY}`, { params, body: { value: { n: 1 } } })).to.deep.equal({ key: 'k 1', value: { n: 1 }, revision: 1 });
    expect(await call(`PUT ${KEY}`, { params, body: { value: 2, revision: 1 } })).to.deep.equal({ key: 'k 1', value: 2, revision: 2 });
    expect(await call(`PUT ${KEY}`, { params, body: { value: 2, ttlMs: 60_000 } })).to.deep.equal({ key: 'k 1', value: 2, revision: 3 });
    expect(await call(`GET ${KEY}`, { params })).to.deep.equal({ key: 'k 1', value: 2, revision: 3 });
    expect(await call(`DELETE ${KEY}`, { params })).to.deep.equal({ deleted: true, change: 1 });
    expect(await call(`GET ${KEY}`, { params })).to.equal('404 not_found: there is no key "k 1" in group "a/b"');
    expect(await call(`DELETE ${KEY}`, { params })).to.equal('404 not_found: there is no key "k 1" in group "a/b"');
  });

  it('give the revision of the write itself, not of one that came right after it', async () => {
    const port = test.engine.port(StatePort) as StateService;
    const own = { params: { group: 'own', key: 'k' } };
    port.getEntry = async (...place) => {
      await port.set(...place, 'theirs');
      return StateService.prototype.getEntry.apply(port, place);
    };
    const { revision } = await call(`PUT ${KEY}`, { ...own, body: { value: 'mine' } }) as { readonly revision: number };
    await port.getEntry('own', 'k');
    Reflect.deleteProperty(port, 'getEntry');
    expect(revision).to.equal(1);
    expect(await call(`PUT ${KEY}`, { ...own, body: { value: 'mine again' }, ifMatch: `"${revision}"` })).to.contain('409 conflict');
    expect(await port.get('own', 'k')).to.equal('theirs');
  });

  it('page through groups and keys', async () => {
    for (const key of ['a', 'b', 'c']) await call(`PUT ${KEY}`, { params: { group: 'list', key }, body: { value: key } });
    const first = await call('GET /groups/:group/keys', { params: { group: 'list' }, query: { limit: '2' } }) as { items: { key: string }[]; cursor: string };
    expect(first.items.map(({ key }) => key)).to.deep.equal(['a', 'b']);
    const rest = await call('GET /groups/:group/keys', { params: { group: 'list' }, query: { cursor: first.cursor } }) as typeof first;
    expect(rest).to.deep.equal({ items: [{ key: 'c', value: 'c', revision: 1 }] });
    expect(await call('GET /groups', { query: { prefix: 'li' } })).to.deep.equal({ items: ['list'] });
  });

  const refusals: readonly (readonly [string, Partial<AdminRequest>, string])[] = [
    [`PUT ${KEY}`, { params, body: 'text' }, '400 invalid_argument: the body must be an object with a "value"'],
    [`PUT ${KEY}`, { params, body: {} }, '400 invalid_argument: the body must be an object with a "value"'],
    [`PUT ${KEY}`, { params, body: { value: 1, revision: 9 } }, '409 conflict: key "k 1" of group "a/b" does not exist, not revision 9'],
    [`PUT ${KEY}`, { params, body: { value: 1, ttlMs: -1 } }, '400 invalid_argument: ttlMs must be a whole number of milliseconds from 1 to 3153600000000, got -1'],
    [`PUT ${KEY}`, { params, body: { value: 'x'.repeat(1_000_001) } }, '422 invalid_value: the value has 1000003 bytes as JSON; at most 1000000 are stored'],
    ['GET /groups', { query: { limit: 'x' } }, '400 invalid_argument: limit must be a whole number from 1 to 1000, got NaN'],
    ['GET /groups/:group/keys', { params: { group: 'g' }, query: { cursor: 'x' } }, '400 invalid_argument: cursor must be one that a former page gave'],
  ];
  for (const [route, request, text] of refusals) {
    it(`refuse ${route} with "${text.slice(0, 60)}"`, async () => {
      expect(await call(route, request)).to.equal(text);
    });
  }

  it('refuse time to live and revision together', async () => {
    expect(await call(`PUT ${KEY}`, { params, body: { value: 1, ttlMs: 1, revision: 1 } })).to.contain('cannot be given together');
  });
});

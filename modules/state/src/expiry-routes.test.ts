import { type AdminError, type AdminRequest, type AdminRoutes, StatePort } from '@treadle/api';
import { fakeClock } from '@treadle/testing';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import keyv from '@treadle/plugin-keyv';
import { expect } from 'chai';
import { addExpiryRoutes } from './expiry-routes.js';
import state from './index.js';
import type { StateService } from './state-service.js';

const YAML = `
engine: { implicit_modules: false }
modules: [{ class: modules::state::StateModule, config: { adapter: { class: modules::state::adapters::KvStore } } }]
`;
const NOON = Date.parse('2026-11-26T12:00:00.000Z');

type Handle = (request: AdminRequest) => Promise<unknown>;

describe('admin routes about the time to live of state', () => {
  const handlers = new Map<string, Handle>();
  let test: TestComposition;
  let port: StateService;
  before(async () => {
    test = await createTestComposition({ builtins: [state, keyv], yaml: YAML });
    port = test.engine.port(StatePort) as StateService;
    const add = (method: string) => (_path: string, handle: Handle): void => void handlers.set(method, handle);
    addExpiryRoutes({ get: add('GET'), put: add('PUT'), post: add('POST'), delete: add('DELETE'), events: () => undefined } satisfies AdminRoutes, port, fakeClock(NOON));
  });
  after(() => test.stop());

  const call = async (method: string, key: string, body?: unknown, ifMatch?: string): Promise<unknown> => handlers.get(method)?.({ params: { group: 'g', key }, query: {}, body, ...ifMatch !== undefined && { ifMatch } }).catch((error: AdminError) => `${error.status} ${error.code}: ${error.message}`);

  it('tell when a value expires, and that one stays', async () => {
    await port.set('g', 'stays', 1);
    await port.set('g', 'goes', 1, { ttlMs: 3_600_000 });
    expect(await call('GET', 'stays')).to.deep.equal({ known: true });
    const { known, expiresAt } = await call('GET', 'goes') as { readonly known: boolean; readonly expiresAt: string };
    expect(known).to.equal(true);
    expect(Date.parse(expiresAt) - NOON).to.be.within(3_000_000, 3_600_000);
  });

  it('change it over the revision that is meant and no other, and leave the value', async () => {
    await port.set('g', 'k', { n: 1 });
    expect(await call('PUT', 'k', { ttlMs: 60_000, revision: 1 })).to.deep.equal({ key: 'k', value: { n: 1 }, revision: 2 });
    expect(await call('GET', 'k')).to.have.property('expiresAt');
    expect(await call('PUT', 'k', { ttlMs: null, revision: 1 })).to.equal('409 conflict: key "k" of group "g" has revision 2, not revision 1');
    expect(await call('PUT', 'k', { ttlMs: null, revision: 2 })).to.deep.equal({ key: 'k', value: { n: 1 }, revision: 3 });
    expect(await call('GET', 'k')).to.deep.equal({ known: true });
    expect(await call('PUT', 'none', { ttlMs: 1, revision: 0 })).to.equal('409 conflict: key "none" of group "g" does not exist, not revision 0');
  });

  it('take the revision from If-Match, too', async () => {
    await port.set('g', 'tagged', 1);
    expect(await call('PUT', 'tagged', { ttlMs: 60_000 }, '"7"')).to.equal('409 conflict: key "tagged" of group "g" has revision 1, not revision 7');
    expect(await call('PUT', 'tagged', { ttlMs: 60_000 }, '"1"')).to.deep.equal({ key: 'tagged', value: 1, revision: 2 });
    expect(await call('PUT', 'tagged', { ttlMs: 60_000 }, '2')).to.equal('400 invalid_argument: If-Match must be the revision in quotes, as ETag gives it');
  });

  it('refuse what cannot be', async () => {
    expect(await call('PUT', 'k', { ttlMs: 1 })).to.equal('400 invalid_argument: the body must have "ttlMs", milliseconds or null, and the "revision" that is meant');
    expect(await call('PUT', 'k', { ttlMs: 0, revision: 3 })).to.contain('400 invalid_argument: ttlMs must be a whole number');
  });
});

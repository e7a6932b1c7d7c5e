import { type AdminError, type AdminRequest, type AdminRoutes, StatePort } from '@treadle/api';
import { fakeClock } from '@treadle/testing';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import keyv from '@treadle/plugin-keyv';
import { expect } from 'chai';
import { addHistoryRoutes } from './history-routes.js';
import state from './index.js';
import { StateHistory } from './state-history.js';
import type { StateService } from './state-service.js';

const YAML = `
engine: { implicit_modules: false }
modules: [{ class: modules::state::StateModule, config: { adapter: { class: modules::state::adapters::KvStore } } }]
`;

type Handle = (request: AdminRequest) => Promise<unknown>;

describe('what was before a write of state', () => {
  const handlers = new Map<string, Handle>();
  const history = new StateHistory(fakeClock());
  let test: TestComposition;
  let port: StateService;
  before(async () => {
    test = await createTestComposition({ builtins: [state, keyv], yaml: YAML });
    port = test.engine.port(StatePort) as StateService;
    history.begin();
    port.history = history;
    const add = (_path: string, handle: Handle, _keys: unknown, about: string): void => void handlers.set(about, handle);
    addHistoryRoutes({ get: add, put: add, post: add, delete: add, events: () => undefined } as AdminRoutes, port, history);
  });
  after(() => test.stop());

  const restore = async (key: string, body: unknown, ifMatch?: string): Promise<unknown> => handlers.get('Makes what was before a write the value again')?.(
    { params: { group: 'g', key }, query: {}, body, ...ifMatch !== undefined && { ifMatch } }).catch((error: AdminError) => `${error.status} ${error.code}: ${error.message}`);
  const changesOf = (key: string): readonly number[] => history.of('g', key).map(({ id }) => id).reverse();

  it('becomes the value again, over the revision that is meant and no other', async () => {
    await port.set('g', 'k', 'one');
    await port.set('g', 'k', 'two');
    const [, second] = changesOf('k');
    expect(await restore('k', { change: second }, '"1"')).to.equal('409 conflict: key "k" of group "g" has revision 2, not revision 1');
    expect(await restore('k', { change: second })).to.deep.equal({ key: 'k', value: 'one', revision: 3 });
  });

  it('was nothing: the value of the revision that is meant goes, and no other', async () => {
    await port.set('g', 'fresh', 'one');
    await port.set('g', 'fresh', 'two');
    const [first] = changesOf('fresh');
    expect(await restore('fresh', { change: first }, '"1"')).to.equal('409 conflict: key "fresh" of group "g" has revision 2, not revision 1');
    expect(await restore('fresh', { change: first, revision: 'x' })).to.contain('400 invalid_argument: revision must be a whole number');
    expect(await port.get('g', 'fresh')).to.equal('two');
    expect(await restore('fresh', { change: first, revision: 2 })).to.deep.equal({ deleted: true });
    expect(await port.get('g', 'fresh')).to.equal(null);
    expect(await restore('fresh', { change: first })).to.deep.equal({ deleted: true });
  });

  it('is known of what a person deleted, also where nobody had asked for a history before', async () => {
    const unasked = new StateHistory(fakeClock());
    port.history = unasked;
    await port.set('g', 'gone', 'one');
    await port.delete('g', 'gone');
    await port.set('g', 'gone', 'two');
    const change = await port.deleteByHand('g', 'gone');
    expect(unasked.of('g', 'gone').map(({ id, before, after }) => [id, before?.value, after])).to.deep.equal([[change, 'two', undefined]]);
    expect(await port.deleteByHand('g', 'gone'), 'there was nothing').to.equal(undefined);
    expect(unasked.wanted, 'others are not noted by it').to.equal(false);
    port.history = history;
  });
});

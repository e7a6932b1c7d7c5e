import { expect } from 'chai';
import { manyToken, slot, token } from '@treadle/api';
import { adapterClass, builtin, goodPlan, injectAdapter, injectToken, moduleClass } from '../kernel.fixture.js';

const StatePort = token<unknown>('engine.StatePort');
const A = token<unknown>('acme.A');
const List = manyToken<unknown>('acme.List');
const ALONE = 'engine: { implicit_modules: false }\n';

const state = moduleClass('modules::state::StateModule', { provides: [StatePort] });
const http = moduleClass('modules::http::HttpModule');
const BUILTINS = [builtin([state, http])];

describe('the order of a plan', () => {
  it('puts providers first and keeps the order of the file otherwise', async () => {
    const needsState = moduleClass('acme::aa::NeedsState', { injects: [injectToken(StatePort)] });
    const adapterNeeds = adapterClass('acme::queue::adapters::Needs', { injects: [injectToken(A, true)] });
    const owner = moduleClass('acme::aa::Owner', { slots: { adapter: { slot: slot('queue') } }, injects: [injectAdapter('adapter')] });
    const a = moduleClass('acme::aa::Aa', { provides: [A] });
    const plan = await goodPlan(`${ALONE}modules:
  - class: acme::aa::NeedsState
  - class: acme::aa::Owner
    config: { adapter: { class: acme::queue::adapters::Needs } }
  - class: modules::http::HttpModule
  - class: acme::aa::Aa
  - class: modules::state::StateModule
`, [...BUILTINS, builtin([needsState, owner, a], [adapterNeeds], 'acme')]);
    expect(plan.entries.map(({ instance }) => instance.id)).to.deep.equal([
      'modules::http::HttpModule', 'acme::aa::Aa', 'acme::aa::Owner', 'modules::state::StateModule', 'acme::aa::NeedsState',
    ]);
    const ownerEntry = plan.entries.find(({ instance }) => instance.id === 'acme::aa::Owner');
    expect(ownerEntry?.needs).to.deep.equal(['acme.A']);
  });

  it('starts every provider of a list before those who read it; one may do both', async () => {
    const reader = moduleClass('acme::aa::Reader', { injects: [injectToken(List)], provides: [List] });
    const one = moduleClass('acme::aa::One', { provides: [List] });
    const two = moduleClass('acme::aa::Two', { provides: [List] });
    const plan = await goodPlan(`${ALONE}modules:
  - class: acme::aa::Reader
  - class: acme::aa::Two
  - class: acme::aa::One
`, [builtin([reader, one, two])]);
    expect(plan.entries.map(({ instance }) => instance.id)).to.deep.equal(['acme::aa::Two', 'acme::aa::One', 'acme::aa::Reader']);
  });
});

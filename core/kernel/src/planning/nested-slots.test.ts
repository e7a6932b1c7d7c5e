import { expect } from 'chai';
import { slot } from '@treadle/api';
import { printEffective } from '@treadle/config';
import { testEngine } from '../engine.fixture.js';
import { adapterClass, ANY_OBJECT, builtin, injectAdapter, type Journal, moduleClass, planText, printed } from '../kernel.fixture.js';

const host = (journal: Journal = [], seen: (adapter: unknown) => void = () => undefined): ReturnType<typeof moduleClass> => moduleClass('acme::aa::Host', {
  journal, slots: { adapter: { slot: slot('store') } }, injects: [injectAdapter('adapter')], construct: ([adapter]) => seen(adapter),
});
const broker = (journal: Journal = [], seen: (adapter: unknown) => void = () => undefined): ReturnType<typeof adapterClass> => adapterClass('acme::store::adapters::Broker', {
  journal, slots: { store: { slot: slot('store') } }, requires: () => [{ slot: 'store', capability: 'adopts' }], injects: [injectAdapter('store')],
  construct: ([adapter]) => seen(adapter),
});
const disk = (journal: Journal = [], adopts = true): ReturnType<typeof adapterClass> => adapterClass('acme::store::adapters::Disk', {
  journal, capabilities: { adopts }, config: { ...ANY_OBJECT, properties: { size: { type: 'integer', default: 3 } } },
});
const NESTED = `
engine: { implicit_modules: false }
modules:
  - class: acme::aa::Host
    config:
      adapter:
        class: acme::store::adapters::Broker
        config:
          store: { class: acme::store::adapters::Disk, config: { size: 5 } }
`;

describe('an adapter within an adapter', () => {
  it('is built and initialised before it, stopped after it, and given to it alone', async () => {
    const journal: Journal = [];
    const seen: unknown[] = [];
    const { engine, end } = await testEngine(NESTED, [builtin([host(journal, (one) => seen.push(one))], [broker(journal, (one) => seen.push(one)), disk(journal)])]);
    await engine.start();
    expect(seen.map((one) => (one as object).constructor.name)).to.deep.equal(['Disk', 'Broker']);
    expect(journal.filter((line) => line.startsWith('init'))).to.deep.equal(['init acme::store::adapters::Disk', 'init acme::store::adapters::Broker', 'init acme::aa::Host']);
    journal.length = 0;
    await engine.stop();
    expect(journal.filter((line) => line.startsWith('stop'))).to.deep.equal(['stop acme::aa::Host', 'stop acme::store::adapters::Broker', 'stop acme::store::adapters::Disk']);
    await end();
  });

  it('is printed where it stands', async () => {
    const { plan } = await planText(NESTED, [builtin([host()], [broker(), disk()])]);
    const text = printEffective(plan!.effective).replace(/ +#.*$/gm, '');
    expect(text).to.contain([
      '      adapter:', '        class: acme::store::adapters::Broker', '        config:', '          store:', '            class: acme::store::adapters::Disk',
      '            config:', '              size: 5',
    ].join('\n'));
  });

  it('has to be there, valid, and able to do what the other asks of it', async () => {
    const without = await planText(NESTED.replace(/store: \{.*\}/, '{}'), [builtin([host()], [broker(), disk()])]);
    expect(printed(without.errors).join('\n')).to.contain('CONFIG_MISSING_KEY').and.contain('"store"');
    const wrong = await planText(NESTED.replace('size: 5', 'size: big'), [builtin([host()], [broker(), disk()])]);
    expect(printed(wrong.errors).join('\n')).to.contain('modules[0].config.adapter.config.store.config.size: expected integer, got "big"');
    const weak = await planText(NESTED, [builtin([host()], [broker(), disk([], false)])]);
    expect(printed(weak.errors).join('\n')).to.contain('CAPABILITY_MISSING').and.contain('acme::store::adapters::Broker').and.contain('adopts');
  });
});

import { slot } from '@treadle/api';
import { expect } from 'chai';
import { adapterClass, builtin, moduleClass, planText, printed } from '../kernel.fixture.js';

describe('adapters of a list that would serve the same', () => {
  it('names both, at the later one', async () => {
    const runtime = (name: string, ...languages: string[]): ReturnType<typeof adapterClass> =>
      adapterClass(`acme::runtime::adapters::${name}`, { capabilities: { languages } });
    const runner = moduleClass('acme::runner::Runner', {
      slots: { runtimes: { slot: slot('runtime'), many: true, exclusive: (capabilities) => (capabilities as { languages: string[] }).languages } },
    });
    const plugins = [builtin([runner], [runtime('Both', 'ts', 'js'), runtime('Js', 'js'), runtime('Py', 'py')], 'acme')];
    const runtimes = (...names: string[]): string => `engine: { implicit_modules: false }
modules:
  - class: acme::runner::Runner
    config: { runtimes: [${names.map((name) => `{ class: acme::runtime::adapters::${name} }`).join(', ')}] }
`;
    expect((await planText(runtimes('Both', 'Py'), plugins)).errors).to.deep.equal([]);
    expect(printed((await planText(runtimes('Both', 'Py', 'Js'), plugins)).errors)).to.deep.equal([
      'config.yaml:4:117  error  CONFIG_CONFLICT  modules[0].config.runtimes[2]: js is served by acme::runtime::adapters::Both '
      + 'at modules[0].config.runtimes[0] already\n    hint: remove one of them',
    ]);
  });
});

import { StatePort } from '@treadle/api';
import { createTestComposition } from '@treadle/engine/testing';
import keyv from '@treadle/plugin-keyv';
import { moduleSuite } from '@treadle/testing';
import { expect } from 'chai';
import state, { StateModule } from './index.js';

const adapter = '{ class: modules::state::adapters::KvStore }';
const yaml = (config: string): string => `engine: { implicit_modules: false }\nmodules: [{ class: modules::state::StateModule, config: ${config} }]\n`;

moduleSuite({ module: StateModule, plugins: [state, keyv], env: () => ({ yaml: yaml(`{ adapter: ${adapter} }`) }) });

describe('StateModule', () => {
  it('wants the embedded store when no adapter is written', async () => {
    const error = await createTestComposition({ builtins: [state, keyv], yaml: yaml('{}') }).then(() => undefined, (reason: Error) => reason);
    expect(error?.message).to.contain('CONFIG_UNKNOWN_CLASS').and.contain('"modules::state::adapters::Sqlite"');
  });

  it('serves the port and the operations while it runs; the trigger kind is the queue\'s', async () => {
    const test = await createTestComposition({ builtins: [state, keyv], yaml: yaml(`{ adapter: ${adapter} }`) });
    try {
      const port = test.engine.port(StatePort);
      expect(await port?.set('g', 'k', [1])).to.deep.equal([1]);
      expect(await port?.listGroups()).to.deep.equal({ items: ['g'] });
      expect(test.engine.dispatch.operations.declared.map(({ name }) => name).sort()).to.deep.equal([
        'state.clear', 'state.compareAndSet', 'state.delete', 'state.get', 'state.getEntry', 'state.list', 'state.listGroups', 'state.set', 'state.update',
      ]);
      expect(test.engine.dispatch.triggers.kinds()).to.deep.equal([]);
    } finally {
      await test.stop();
    }
  });

  it('keeps a file over a reload and tells when memory is all there is', async () => {
    const file = (path: string): string => yaml(`{ adapter: { class: modules::state::adapters::KvStore, config: { store_method: file_based, file_path: ${path} } } }`);
    const test = await createTestComposition({ builtins: [state, keyv], yaml: file('one.db') });
    try {
      await test.engine.port(StatePort)?.set('g', 'k', 'one');
      expect((await test.reload(file('two.db'))).restarted).to.deep.equal(['modules::state::StateModule']);
      expect(await test.engine.port(StatePort)?.get('g', 'k')).to.equal(null);
      await test.reload(file('one.db'));
      expect(await test.engine.port(StatePort)?.get('g', 'k')).to.equal('one');
      await test.reload(yaml(`{ adapter: ${adapter} }`));
      expect(test.logs.find(({ message }) => message === 'state is kept in memory and lost when the engine ends')).to.include({ level: 'warn' });
    } finally {
      await test.stop();
    }
  });
});

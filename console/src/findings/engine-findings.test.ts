import { BUILTIN_PLUGINS } from '@treadle/engine';
import { expect } from 'chai';
import { type ConsoleUnderTest, startConsole } from '../console.fixture.js';
import type { Finding, Items, ModuleInfo } from '../contract/index.js';
import { engineFindings } from './engine-findings.js';

const plugins = BUILTIN_PLUGINS.filter(({ name }) => name !== '@treadle/console');
const modules = (store: string): string => `
  - class: modules::state::StateModule
    config: { adapter: { class: modules::state::adapters::KvStore, config: { store_method: ${store} } } }
  - class: modules::stream::StreamModule
    config: { port: 0, adapter: { class: modules::stream::adapters::KvStore, config: { store_method: ${store} } } }
  - class: modules::queue::QueueModule
    config: { adapter: { class: modules::queue::adapters::Sqlite, config: { store_method: ${store} } } }
`;

describe('findings about the engine', () => {
  let console: ConsoleUnderTest | undefined;
  afterEach(async () => {
    await console?.test.stop();
    console = undefined;
  });

  const found = async (store: string): Promise<readonly Finding[]> => {
    console = await startConsole({ plugins, modules: modules(store) });
    const { items } = (await console.ask('GET', '/api/v1/findings')).json as Items<Finding>;
    return items.filter(({ code }) => code === 'memory_adapter');
  };

  it('name every adapter that declares that a restart loses its data, whatever its class', async () => {
    const items = await found('in_memory');
    expect(items.map(({ about }) => about.module).sort()).to.deep.equal(['modules::queue::adapters::Sqlite', 'modules::state::adapters::KvStore', 'modules::stream::adapters::KvStore']);
    for (const { remedy } of items) expect(remedy).to.equal('write "store_method: file_based" into its config');
    const { items: all } = (await (console as ConsoleUnderTest).ask('GET', '/api/v1/modules')).json as Items<ModuleInfo>;
    expect(all.find(({ id }) => id === 'modules::state::adapters::KvStore')?.capabilities).to.include({ durable: false });
  });

  it('say nothing of those that keep it', async () => expect(await found('file_based')).to.deep.equal([]));

  it('say that a Step process ended until it runs again', () => {
    const crash = { runtime: 'node', worker: 0, reason: 'exit code 1', output: '', crashLooping: false, restartMs: 100 };
    const of = (...states: readonly string[]): string | undefined => {
      const steps = { crashes: () => [crash], workers: () => states.map((state, worker) => ({ runtime: 'node', worker, state })) };
      const [found] = engineFindings({ health: { report: () => ({}) }, catalog: { instances: () => [] }, steps } as unknown as Parameters<typeof engineFindings>[0], undefined);
      return `${found?.severity ?? ''}${found?.was ? ' was' : ''}`;
    };
    expect(of('restarting', 'ready')).to.equal('warning');
    expect(of('ready')).to.equal('info was');
    expect(of()).to.equal('warning');
  });
});

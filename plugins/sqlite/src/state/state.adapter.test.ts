import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bind, definePlugin, InjectAdapter, type Lifecycle, Module, type StateAdapter, StateSlot, token } from '@treadle/api';
import { Engine, planEngine, systemClock } from '@treadle/kernel';
import { recordedLog } from '@treadle/testing';
import { expect } from 'chai';
import plugin from '../index.js';
import { errorOf, freshFolder } from '../testing/store.fixture.js';

const First = token<StateAdapter>('acme.First');
const Second = token<StateAdapter>('acme.Second');
const slots = { adapter: { slot: StateSlot } };
const common = { summary: 'Gives its adapter away.', stability: 'development', since: '0.1.0', config: { type: 'object', properties: { adapter: {} } }, slots } as const;

@Module({ id: 'acme::one::One', ...common, provides: [First] })
class One implements Lifecycle {
  constructor(@InjectAdapter('adapter') private readonly adapter: StateAdapter) {}
  ports() {
    return [bind(First, this.adapter)];
  }
}

@Module({ id: 'acme::two::Two', ...common, provides: [Second] })
class Two implements Lifecycle {
  constructor(@InjectAdapter('adapter') private readonly adapter: StateAdapter) {}
  ports() {
    return [bind(Second, this.adapter)];
  }
}

/** An engine with two modules, each with a state adapter of this config. */
async function engineWith(first: object, second: object, root = freshFolder()) {
  const adapter = (config: object) => ({ adapter: { class: 'modules::state::adapters::Sqlite', config } });
  writeFileSync(join(root, 'config.yaml'), JSON.stringify({
    engine: { implicit_modules: false },
    modules: [{ class: 'acme::one::One', config: adapter(first) }, { class: 'acme::two::Two', config: adapter(second) }],
  }, null, 1));
  const own = definePlugin({ name: 'acme', version: '0.1.0', api: '^0.1.0', modules: [One, Two] });
  const { plan, errors } = await planEngine({
    configFile: join(root, 'config.yaml'), cwd: root, env: {}, builtins: [own, plugin], engineVersion: '0.1.0',
  });
  if (!plan) throw new Error(errors.map(String).join('\n'));
  const log = recordedLog();
  const engine = new Engine({ plan, log, clock: systemClock, engineVersion: '0.1.0' });
  return { engine, log, root };
}

async function put(adapter: StateAdapter | undefined, key: string): Promise<void> {
  await adapter?.write({ group: 'g', key, next: () => ({ action: 'set', value: key }), recordChange: false });
}

describe('SqliteStateAdapter in an engine', () => {
  it('shares one database between adapters that name the same file, relative to the data directory', async () => {
    const { engine, log, root } = await engineWith({ file_path: 'x.db' }, { file_path: './x.db' });
    await engine.start();
    await put(engine.port(First), 'k');
    expect(await engine.port(Second)?.get('g', 'k')).to.deep.equal({ value: 'k', revision: 1 });
    await Promise.all([First, Second, First].map((which) => put(engine.port(which), 'k')));
    expect((await engine.port(Second)?.get('g', 'k'))?.revision).to.equal(4);
    expect(log.records.filter(({ message }) => message === 'store is open')).to.have.length(1);
    expect(existsSync(join(root, 'data/x.db'))).to.equal(true);
    await engine.stop();
  });

  it('shares the database in memory too, and writes no file', async () => {
    const { engine, root } = await engineWith({ store_method: 'in_memory' }, { store_method: 'in_memory' });
    await engine.start();
    await put(engine.port(First), 'k');
    expect((await engine.port(Second)?.get('g', 'k'))?.value).to.equal('k');
    expect(existsSync(join(root, 'data/treadle.db'))).to.equal(false);
    await engine.stop();
  });

  it('keeps different files apart', async () => {
    const { engine } = await engineWith({ file_path: 'x.db' }, { file_path: 'y.db', durability: 'relaxed' });
    await engine.start();
    await put(engine.port(First), 'k');
    expect(await engine.port(Second)?.get('g', 'k')).to.equal(undefined);
    await engine.stop();
  });

  it('refuses two durabilities for one file, however its path is written, before anything starts, and names both lines', async () => {
    const root = freshFolder();
    const error = await errorOf(() => engineWith({ durability: 'full', file_path: './x/../y.db' }, { durability: 'relaxed', file_path: join(root, 'data/y.db') }, root));
    expect(error.message).to.match(new RegExp('modules\\[1\\]\\.config\\.adapter\\.config\\.durability: "relaxed" for ".*/data/y\\.db", '
      + 'for which modules\\[0\\]\\.config\\.adapter\\.config\\.durability \\(.*config\\.yaml:12\\) says "full"'));
  });

  it('lets adapters in memory have any durability', async () => {
    const { engine } = await engineWith({ store_method: 'in_memory', durability: 'full' }, { store_method: 'in_memory', durability: 'relaxed' });
    await engine.start();
    await engine.stop();
  });

  it('leaves alone what is written while its group is cleared', async () => {
    const { engine } = await engineWith({}, { file_path: 'y.db' });
    await engine.start();
    const state = engine.port(First);
    await Promise.all(Array.from({ length: 2_500 }, (_, index) => put(state, `k${index}`)));
    const clearing = state?.clear('g');
    await put(state, 'k9');
    expect(await clearing).to.equal(2_499);
    expect((await state?.list('g', { limit: 10 }))?.items.map(({ key }) => key)).to.deep.equal(['k9']);
    await engine.stop();
  });
});

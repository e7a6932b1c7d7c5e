import { expect } from 'chai';
import { mkdirSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { planText, printed, testFolder } from '../kernel.fixture.js';
import type { PlanResult } from '../planned.js';

const API = dirname(createRequire(import.meta.url).resolve('@treadle/api/package.json'));
const CLASS = 'acme::beat::BeatModule';
const ENTRY = `import { Module } from '@treadle/api';
class BeatModule {}
Module({ id: '${CLASS}', summary: 'Beats', stability: 'development', since: '0.1.0', config: { type: 'object', additionalProperties: false } })(BeatModule);
export default { $type: 'treadle/Plugin', format: 1, name: 'acme-beat', version: '0.1.0', api: '*', modules: [BeatModule], adapters: [] };
`;
const HEAD = { id: 'beats', title: 'Beats', module: CLASS };
const DECLARED = { ...HEAD, tier: 'declarative', source: '/beats', table: { key: 'id', columns: [{ field: 'at', as: 'time' }] } };

/** The plan of an application whose plugins have these manifests; undefined: the file is not there. */
async function planOf(...manifests: readonly unknown[]): Promise<PlanResult> {
  const folder = testFolder();
  mkdirSync(join(folder.path, 'node_modules/@treadle'), { recursive: true });
  symlinkSync(API, join(folder.path, 'node_modules/@treadle/api'), 'dir');
  const names = manifests.map((manifest, index) => {
    const name = `beat${index}`;
    const treadle = { api: '*', entry: './index.js', provides: [CLASS], console: './lib/console.json' };
    folder.write(`${name}/package.json`, JSON.stringify({ name: `acme-${name}`, version: '0.1.0', type: 'module', treadle }));
    folder.write(`${name}/index.js`, ENTRY);
    folder.write(`${name}/lib/page/view.js`, '');
    if (manifest !== undefined) folder.write(`${name}/lib/console.json`, typeof manifest === 'string' ? manifest : JSON.stringify(manifest));
    return `./${name}`;
  });
  const result = await planText(`plugins: [${names.join(', ')}]\nengine: { implicit_modules: false }\n`, [], { folder });
  folder.remove();
  return result;
}
const faultsOf = async (...manifests: readonly unknown[]): Promise<readonly string[]> => printed((await planOf(...manifests)).errors);
const withView = (view: object): object => ({ apiVersion: 1, id: 'beat', views: [view] });

describe('the views of the console that a plugin declares', () => {
  it('are those of its manifest', async () => {
    const code = { ...HEAD, id: 'pulse', tier: 'module', entry: './page/view.js' };
    const { plan, errors } = await planOf({ apiVersion: 1, id: 'beat', views: [DECLARED, code] });
    expect(printed(errors)).to.deep.equal([]);
    expect(plan?.registry.views.map(({ package: name, version, manifest }) => [name, version, manifest.id, manifest.views.map(({ id, tier }) => `${id} ${tier}`)])).to.deep.equal([
      ['acme-beat0', '0.1.0', 'beat', ['beats declarative', 'pulse module']],
    ]);
  });

  for (const [what, manifest, fault] of [
    ['no file', undefined, 'PLUGIN_BAD_MANIFEST  plugin "acme-beat0" 0.1.0: its package.json names the file of "treadle.console" "./lib/console.json", which does not exist'],
    ['no JSON', '{ "apiVersion": 1,, }', 'CONFIG_SYNTAX'],
    ['another version', { ...withView(DECLARED), apiVersion: 2 }, 'apiVersion: expected 1, got 2'],
    ['an unknown key', withView({ ...DECLARED, tabel: {} }), 'views[0].tabel'],
    ['a format that is none', withView({ ...DECLARED, figures: [{ field: 'a', as: 'tim' }] }), 'views[0].figures[0].as: expected one of'],
    ['no source', withView({ ...HEAD, tier: 'declarative' }), 'needs "views[0].source" when'],
    ['no entry', withView({ ...HEAD, tier: 'module' }), 'needs "views[0].entry" when'],
    ['a route that leads out of the module', withView({ ...DECLARED, source: '/../../backup' }), 'views[0].source: source must match'],
    ['an action that leads out of the module', withView({ ...DECLARED, actions: [{ id: 'a', label: 'A', method: 'POST', route: '/x/../../backup' }] }), 'views[0].actions[0].route: route must match'],
    ['an entry outside of the package', withView({ ...HEAD, tier: 'module', entry: './page/../../x.js' }), 'views[0].entry: entry must match'],
    ['an entry in no folder of its own', withView({ ...HEAD, tier: 'module', entry: './view.js' }), 'views[0].entry: entry must match'],
    ['an entry that is not there', withView({ ...HEAD, tier: 'module', entry: './page/other.js' }), 'views[0].entry: there is no file "./page/other.js"'],
    ['a class of others', withView({ ...DECLARED, module: 'acme::other::OtherModule' }), 'views[0].module: the package provides no class "acme::other::OtherModule"'],
    ['the same id twice', { apiVersion: 1, id: 'beat', views: [DECLARED, DECLARED] }, 'views[1].id: there is a view "beats" already'],
  ] as const) {
    it(`are refused with ${what}`, async () => {
      const [first = ''] = await faultsOf(manifest);
      expect(first).to.contain(fault);
    });
  }

  it('name the place of a fault in their file', async () => {
    expect((await faultsOf(`{ "apiVersion": 1,\n  "id": "Beat",\n  "views": [${JSON.stringify(DECLARED)}] }`))[0]).to.match(/^\.?\/?beat0\/lib\/console\.json:2:9 {2}error/);
  });

  it('have addresses that only one plugin may have', async () => {
    const faults = await faultsOf(withView(DECLARED), withView(DECLARED));
    expect(faults.find((fault) => fault.includes('have the id'))).to.contain('plugins: the views of acme-beat1 have the id "beat", as those of acme-beat0');
  });
});

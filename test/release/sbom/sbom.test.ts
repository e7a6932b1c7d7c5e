import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../architecture/workspace.js';
import { tempFolder } from '../../support/temp-folder.js';
import type { Bill, Component } from './bill.js';
import { Lock, type LockedPackage } from './lock.js';
import { pagePackages } from './page-packages.js';
import { partsOf } from './parts.js';

describe('npm run sbom', function () {
  this.timeout(120_000);
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as { packages: Readonly<Record<string, LockedPackage & { readonly dev?: boolean }>> };
  let text = '';
  let bill: Bill;
  const of = (id: string): Component | undefined => bill.components.find((each) => each['bom-ref'] === id);
  const needsOf = (id: string): readonly string[] => bill.dependencies.find(({ ref }) => ref === id)?.dependsOn ?? [];
  const make = (): string => {
    const file = execFileSync('npm', ['run', '--silent', 'sbom'], { cwd: ROOT, encoding: 'utf8' }).trim();
    expect(file).to.match(/^sbom\/treadle-\d+\.\d+\.\d+.*\.cdx\.json$/);
    return readFileSync(join(ROOT, file), 'utf8');
  };
  before(() => {
    text = make();
    bill = JSON.parse(text) as Bill;
  });

  it('names every published package with what it needs, and nothing twice', () => {
    const published = Object.entries(packages).filter(([path, { link, resolved }]) => path.startsWith('node_modules/') && link && resolved !== 'test');
    const names = published.map(([path]) => path.slice('node_modules/'.length));
    expect(names).to.include.members(['treadle', '@treadle/engine', '@treadle/cli']);
    expect(needsOf('release').map((id) => id.replace(/@[^@]+$/, ''))).to.have.members(names);
    for (const [path, { resolved = '' }] of published) {
      const { version, dependencies = {} } = packages[resolved]!;
      const needed = needsOf(`${path.slice('node_modules/'.length)}@${version}`).map((id) => id.replace(/@[^@]+$/, ''));
      expect(needed, path).to.include.members(Object.keys(dependencies));
    }
    const ids = bill.components.map((each) => each['bom-ref']);
    expect(new Set(ids).size).to.equal(ids.length);
    for (const id of bill.dependencies.flatMap(({ dependsOn }) => dependsOn)) expect(ids).to.include(id);
  });

  it('names what is built into the page of the console, which no user installs, and no tool of its developers', () => {
    expect(pagePackages()).to.include.members(['react', 'react-dom', '@codemirror/view', '@xyflow/react', 'uplot']);
    expect(needsOf(`@treadle/console@${packages['console']!.version}`).map((id) => id.replace(/@[^@]+$/, ''))).to.include.members([...pagePackages()]);
    const names = bill.components.map(({ group, name }) => (group === undefined ? name : `${group}/${name}`));
    expect(names).to.include('scheduler');
    for (const tool of ['mocha', 'eslint', 'lerna', 'verdaccio', 'vite', 'playwright-core', '@treadle/test']) expect(names, tool).to.not.include(tool);
  });

  it('gives licence, hash and place of each as npm itself does', () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'user', version: '1.0.0', dependencies: { koa: packages['node_modules/koa']!.version } }));
    const without = Object.entries(packages).filter(([path, { dev, link }]) => path.startsWith('node_modules/') && !dev && !link);
    const lock = { name: 'user', version: '1.0.0', lockfileVersion: 3, requires: true, packages: { '': JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object, ...Object.fromEntries(without) } };
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
    const said = JSON.parse(execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], { cwd: folder, encoding: 'utf8' })) as Bill;
    const facts = ({ purl, hashes, licenses }: Component): object => ({ purl, hashes, licenses });
    const koa = said.components.filter((each) => of(each['bom-ref']));
    expect(koa.length).to.be.above(20);
    for (const each of koa) expect(facts(of(each['bom-ref'])!), each['bom-ref']).to.deep.equal(facts(each));
  });

  it('calls optional what is not needed everywhere, and is the same for the same lock file', () => {
    const version = packages['node_modules/esbuild']!.version;
    expect([of(`esbuild@${version}`)?.scope, of(`@esbuild/linux-x64@${version}`)?.scope]).to.deep.equal(['required', 'optional']);
    expect(make()).to.equal(text);
  });

  it('refuses a lock file that lacks something, by its name', () => {
    const file = join(tempFolder(), 'package-lock.json');
    writeFileSync(file, JSON.stringify({ packages: { 'a': { version: '1.0.0', dependencies: { ws: '^8' }, peerDependencies: { maybe: '*' }, peerDependenciesMeta: { maybe: { optional: true } } } } }));
    expect(() => partsOf(new Lock(file), new Map([['a', 'a']]), new Map())).to.throw('package-lock.json has no ws for a; run npm install');
  });
});

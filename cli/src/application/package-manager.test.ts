import { expect } from 'chai';
import { join } from 'node:path';
import { addFiles, makeApp, removeApp } from '../cli.fixture.js';
import { addCommand, detectPackageManager, installCommand, runCommand } from './package-manager.js';

describe('the package manager', () => {
  let folder: string;
  beforeEach(() => { folder = makeApp({}, { modules: false }); });
  afterEach(() => removeApp(folder));

  for (const [file, manager] of [
    ['package-lock.json', 'npm'], ['npm-shrinkwrap.json', 'npm'], ['pnpm-lock.yaml', 'pnpm'], ['yarn.lock', 'yarn'],
    ['bun.lock', 'bun'], ['bun.lockb', 'bun'],
  ] as const) {
    it(`is ${manager} where there is ${file}, also above`, () => {
      addFiles(folder, { [file]: '', 'packages/app/package.json': '{}' });
      expect(detectPackageManager(join(folder, 'packages', 'app'))).to.equal(manager);
    });
  }

  it('is the one that package.json names, else the one that runs the command, else npm', () => {
    expect(detectPackageManager(folder)).to.equal('npm');
    expect(detectPackageManager(folder, 'pnpm/9.1.0 npm/? node/v20')).to.equal('pnpm');
    expect(detectPackageManager(folder, 'something/1')).to.equal('npm');
    addFiles(folder, { 'package.json': JSON.stringify({ packageManager: 'yarn@4.1.0' }) });
    expect(detectPackageManager(folder, 'pnpm/9.1.0')).to.equal('yarn');
    addFiles(folder, { 'bun.lock': '' });
    expect(detectPackageManager(folder, 'pnpm/9.1.0')).to.equal('bun');
  });

  it('gets its own words for each command', () => {
    expect(installCommand('pnpm')).to.deep.equal(['pnpm', 'install']);
    expect(addCommand('npm', 'a@1')).to.deep.equal(['npm', 'install', 'a@1']);
    expect(addCommand('pnpm', 'a@1')).to.deep.equal(['pnpm', 'add', 'a@1']);
    expect(addCommand('yarn', 'a@1')).to.deep.equal(['yarn', 'add', 'a@1']);
    expect(addCommand('bun', 'a@1')).to.deep.equal(['bun', 'add', 'a@1']);
    expect(runCommand('npm', 'dev')).to.equal('npm run dev');
    expect(runCommand('yarn', 'dev')).to.equal('yarn dev');
  });
});

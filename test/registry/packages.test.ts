import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT, workspacePackages, type WorkspacePackage } from '../architecture/workspace.js';
import { cleanEnvironment } from '../support/engine-process.js';
import { tempFolder, writeFiles } from '../support/temp-folder.js';
import { importedPackages } from './imported-packages.js';
import { missingImports } from './missing-imports.js';

interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

interface PublishedManifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly license?: string;
  readonly homepage?: string;
  readonly private?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly engines?: { readonly node?: string };
  readonly publishConfig?: { readonly access?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/**
 * What a package loads out of the application's folder and does without where that has none. Not an optional peer: npm would keep it
 * in production installs of applications that have it as a devDependency.
 */
const FROM_THE_APPLICATION: Readonly<Record<string, readonly string[]>> = { '@treadle/cli': ['typescript'] };
/** What no user needs: tests, what only tests use, the compiler's notes, maps to sources that are not there. */
const NOT_FOR_USERS = /\.test\.|\.fixture\.|\.tsbuildinfo$|\.map$|(^|\/)(golden|__pycache__)\/|^src\/|tsconfig/;
/** Bytes of a packed package; the engine's bundle is the largest by far. */
const MAX_SIZE = 1_000_000;
/** Read by those who build a worker in another language. */
const SHIPPED_SAMPLES = ['@treadle/protocol'];

describe('packed packages', function () {
  this.timeout(300_000);
  const folder = tempFolder();
  const packed = new Map<string, Packed>();
  const packages = workspacePackages().filter(({ folder: place }) => place !== 'test');
  const { version } = JSON.parse(readFileSync(join(ROOT, 'lerna.json'), 'utf8')) as { version: string };

  before(() => {
    const said = execFileSync('npm', ['pack', '--workspaces', '--json', '--ignore-scripts', '--pack-destination', folder], {
      cwd: ROOT, encoding: 'utf8', env: cleanEnvironment(), maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const one of JSON.parse(said) as Packed[]) packed.set(one.name, one);
  });

  it('own each program once: of two owners, the one that is removed takes it away', () => {
    const programs = packages.flatMap(({ manifest }) => Object.keys((manifest as PublishedManifest).bin ?? {}));
    expect(programs).to.include.members(['treadle', 'treadle-engine']);
    expect(programs).to.have.length(new Set(programs).size);
  });

  for (const one of packages) {
    it(`${one.manifest.name} has what users need and nothing else`, () => {
      const { files, size } = packedOf(one);
      const paths = files.map(({ path }) => path);
      expect(paths).to.include.members(['package.json', 'README.md', 'LICENSE']);
      expect(paths.filter((path) => !/^((dist\/)?templates|plugin-template)\//.test(path) && NOT_FOR_USERS.test(path))).to.deep.equal([]);
      if (!SHIPPED_SAMPLES.includes(one.manifest.name)) expect(paths.filter((path) => path.includes('fixtures/'))).to.deep.equal([]);
      expect(size).to.be.below(MAX_SIZE);
      expect(readFileSync(join(ROOT, one.folder, 'LICENSE'), 'utf8')).to.equal(readFileSync(join(ROOT, 'LICENSE'), 'utf8'));
    });

    it(`${one.manifest.name} says all that npm asks`, () => {
      const manifest = one.manifest as PublishedManifest;
      expect(manifest).to.include({ version, license: 'Apache-2.0' });
      expect(manifest.homepage, 'one for all').to.equal('https://www.npmjs.com/package/treadle');
      expect(readFileSync(join(ROOT, one.folder, 'README.md'), 'utf8'), 'the way to the documentation').to.include('npx treadle docs');
      expect(manifest.private).to.equal(undefined);
      expect(manifest.publishConfig?.access).to.equal('public');
      expect(manifest.description).to.be.a('string').with.length.above(10);
      expect(manifest.engines?.node).to.match(/^>=(18\.0\.0|20\.19)$/);
      const paths = new Set(packedOf(one).files.map(({ path }) => `./${path}`));
      for (const target of [...targetsOf(manifest), ...Object.values(manifest.bin ?? {})]) {
        expect(paths.has(target.replace(/^(?!\.\/)/, './')), `${target} is in the package`).to.equal(true);
      }
      for (const target of Object.values(manifest.bin ?? {})) expect(readFileSync(join(ROOT, one.folder, target), 'utf8')).to.match(/^#!\/usr\/bin\/env node\n/);
    });

    it(`${one.manifest.name} declares every package that it imports`, () => {
      const target = unpacked(one);
      const manifest = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8')) as PublishedManifest;
      const declared = new Set([
        manifest.name, ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }), ...FROM_THE_APPLICATION[manifest.name] ?? [],
      ]);
      const undeclared = importedPackages(target).filter(({ name }) => !isBuiltin(name) && !declared.has(name));
      expect(undeclared).to.deep.equal([]);
    });

    it(`${one.manifest.name} has every file that its programs and types import`, () => {
      const manifest = one.manifest as PublishedManifest;
      expect(missingImports(unpacked(one), [...targetsOf(manifest), ...Object.values(manifest.bin ?? {})])).to.deep.equal([]);
    });

    it(`${one.manifest.name} depends on the rest of the same release`, () => {
      const { dependencies = {}, peerDependencies = {} } = one.manifest as PublishedManifest;
      const own = Object.entries({ ...dependencies, ...peerDependencies }).filter(([name]) => name === 'treadle' || name.startsWith('@treadle/'));
      expect(own.filter(([, range]) => range !== version)).to.deep.equal([]);
    });
  }

  it('are looked through for every form of import', () => {
    const sample = tempFolder();
    writeFiles(sample, {
      'dist/a.js': "import b from 'b'; export * from '@c/d/e'; import('f'); import './own.js'; import 'node:fs';\n// from 'comment'\n",
      'bin/g.js': "const load = createRequire(import.meta.url); load('h/package.json'); createRequire(x)('i'); 'from \\'text\\'';\n",
      'dist/j.d.ts': "export declare const k: import('l').M;\n", 'templates/n.js': "import 'not-ours';\n",
    });
    expect(importedPackages(sample).map(({ name }) => name).sort()).to.deep.equal(['@c/d', 'b', 'f', 'h', 'i', 'l']);
  });

  it('bring the licences of what the engine has in its bundle', () => {
    const engine = packages.find(({ manifest }) => manifest.name === '@treadle/engine');
    if (!engine) throw new Error('there is no engine');
    const text = readFileSync(join(unpacked(engine), 'dist/bundle/THIRD-PARTY-NOTICES.txt'), 'utf8');
    const notices = text.split(/^--- /m).slice(1);
    for (const name of ['ajv', 'ws', 'find-my-way', 'js-yaml']) expect(notices.filter((notice) => notice.startsWith(`${name} `)), name).to.have.length.above(0);
    expect(notices.filter((notice) => !/ ---\n\n[^]{100}/.test(notice)), 'without a text').to.deep.equal([]);
  });

  it('are those that a release publishes', () => {
    const said = execFileSync('npx', ['lerna', 'list', '--json', '--loglevel=error'], { cwd: ROOT, encoding: 'utf8', env: { ...cleanEnvironment(), NX_DAEMON: 'false' } });
    const released = (JSON.parse(said) as { name: string }[]).map(({ name }) => name);
    expect(released.sort()).to.deep.equal(packages.map(({ manifest }) => manifest.name).sort());
  });

  it('are all of the repository but its tests', () => {
    const names = packages.map(({ manifest }) => manifest.name);
    expect([...packed.keys()].filter((name) => name !== '@treadle/test').sort()).to.deep.equal([...names].sort());
  });

  function packedOf(one: WorkspacePackage): Packed {
    const found = packed.get(one.manifest.name);
    if (!found) throw new Error(`${one.manifest.name} was not packed`);
    return found;
  }

  function unpacked(one: WorkspacePackage): string {
    const target = join(folder, one.folder.replace('/', '-'));
    if (existsSync(target)) return target;
    const { filename } = packedOf(one);
    const file = readdirSync(folder).find((name) => name === filename.replace('@', '').replace('/', '-'));
    execFileSync('sh', ['-c', 'mkdir -p "$1" && tar -xzf "$2" -C "$1" --strip-components=1', 'sh', target, join(folder, file ?? filename)]);
    return target;
  }
});

function targetsOf({ exports = {} }: PublishedManifest): readonly string[] {
  return Object.values(exports).flatMap((target) => (typeof target === 'string' ? [target] : Object.values(target)));
}

import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { adapterSpecOf, moduleSpecOf } from '@treadle/api';
import { expect } from 'chai';
import * as EnginePackage from './index.js';

const { isCurrent } = await import(new URL('../bin/bundle.js', import.meta.url).href) as { isCurrent(folder: URL): boolean };
interface Places { readonly needed: readonly string[]; readonly programs: readonly string[]; readonly place: string }
const { placedText } = await import(new URL('../scripts/places.mjs', import.meta.url).href) as { placedText(text: string, places: Places): string };
const NOW = 1_800_000_000;

describe('the bundle of the program', () => {
  let folder: string;
  const write = (name: string, time: number, text = ''): void => {
    writeFileSync(join(folder, name), text);
    utimesSync(join(folder, name), time, time);
  };
  const current = (): boolean => isCurrent(pathToFileURL(`${join(folder, 'bundle')}/`));
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'treadle-bundle-'));
    mkdirSync(join(folder, 'bundle'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is not used when it was not made', () => {
    expect(current()).to.equal(false);
  });

  it('is used as it is in a published package', () => {
    write('bundle/main.js', NOW);
    expect(current()).to.equal(true);
  });

  it('is used in a checkout until one of its packages is built again or cleaned', () => {
    write('bundle/main.js', NOW);
    write('bundle/built-from.json', NOW, '["../a.tsbuildinfo", "../b.tsbuildinfo"]');
    write('a.tsbuildinfo', NOW - 10);
    write('b.tsbuildinfo', NOW - 5);
    expect(current()).to.equal(true);
    write('b.tsbuildinfo', NOW + 5);
    expect(current()).to.equal(false);
    rmSync(join(folder, 'b.tsbuildinfo'));
    expect(current()).to.equal(false);
  });
});

describe('the entry for the command line', () => {
  it('gives all that the package gives, with classes of the same names', async () => {
    const program = await import(new URL('../bin/program.js', import.meta.url).href) as typeof EnginePackage;
    expect(Object.keys(program)).to.have.members(Object.keys(EnginePackage));
    expect(program.ENGINE_VERSION).to.equal(EnginePackage.ENGINE_VERSION);
    const specs = ({ BUILTIN_PLUGINS }: typeof EnginePackage): unknown[] => BUILTIN_PLUGINS.flatMap(({ modules = [], adapters = [] }) => [...modules.map(moduleSpecOf), ...adapters.map(adapterSpecOf)].map((spec) => spec?.id));
    expect(specs(program)).to.deep.equal(specs(EnginePackage)).and.not.include(undefined);
  });
});

describe('a file in the bundle', () => {
  const placed = (text: string): string => placedText(text, { needed: ['../package.json', 'fast'], programs: ['./child.js'], place: '(PLACE)' });

  it('finds what lies beside it where it is installed', () => {
    expect(placed("const a = new URL('../x.yaml', import.meta.url); const b = f(import.meta.url);")).to.equal("const a = new URL('../x.yaml', (PLACE)); const b = f((PLACE));");
  });

  it('requires what is needed at the start in the way that the bundler follows', () => {
    expect(placed("const { name } = createRequire(import.meta.url)('../package.json');")).to.equal("const { name } = require('../package.json');");
    expect(placed("const load = createRequire(import.meta.url);\nexport const a = () => load('fast'), b = load('slow');"))
      .to.equal("const load = createRequire((PLACE));\nexport const a = () => require('fast'), b = load('slow');");
  });

  it('leaves texts, comments and what only has the same name alone', () => {
    const text = "// import.meta.url\nconst url = 'import.meta.url', asked = `createRequire(import.meta.url)('fast')`;\nfunction f(load) { return load('fast'); }\nimport.meta.resolve('x');";
    expect(placed(text)).to.equal(text);
  });

  it('keeps its own place when it starts a program that lies beside it', () => {
    const text = "new Worker(new URL('./child.js', import.meta.url)); // not ./other.js";
    expect(placed(text)).to.equal(text);
  });
});

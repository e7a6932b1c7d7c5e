import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';

const { isCurrent } = await import(new URL('../bin/bundle.js', import.meta.url).href) as { isCurrent(folder: URL): boolean };
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

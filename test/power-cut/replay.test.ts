import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { requireOrSkip } from '../support/requirement.js';
import { tempFolder } from '../support/temp-folder.js';
import { CuttableFolder, type CutOptions } from './src/cuttable-folder.js';
import { canCutPower } from './src/library.js';

const CHANGES = fileURLToPath(new URL('src/changes.mjs', import.meta.url));

type Step = readonly [verb: string, name: string, ...more: (string | number)[]];
/** Name → text; undefined: there is no such file. */
type Contents = Readonly<Record<string, string | undefined>>;

interface Case {
  readonly name: string;
  readonly before?: Contents;
  readonly steps: readonly Step[];
  readonly after: Contents;
  readonly cut?: CutOptions;
}

const CASES: readonly Case[] = [
  { name: 'an overwrite', before: { a: 'old text' }, steps: [['write', 'a', 'NEW', 4], ['expect', 'a', 'old NEWt']], after: { a: 'old text' } },
  { name: 'what made a file longer', before: { a: 'old' }, steps: [['write', 'a', 'longer', 2], ['expect', 'a', 'ollonger']], after: { a: 'old' } },
  { name: 'several buffers in one call', before: { a: 'abcdef' }, steps: [['writev', 'a', 'xy'], ['expect', 'a', 'xyxyef']], after: { a: 'abcdef' } },
  { name: 'an append', before: { a: 'one' }, steps: [['append', 'a', ' two'], ['expect', 'a', 'one two']], after: { a: 'one' } },
  { name: 'a truncation', before: { a: '0123456789' }, steps: [['truncate', 'a', 3], ['write', 'a', 'zz', 2], ['expect', 'a', '01zz']], after: { a: '0123456789' } },
  { name: 'emptying a file by opening it', before: { a: 'old text' }, steps: [['replace', 'a', 'new'], ['expect', 'a', 'new']], after: { a: 'old text' } },
  {
    name: 'only what came after the last sync of the same file', before: { a: '......', b: '......' },
    steps: [['write', 'a', 'x', 0], ['write', 'b', 'x', 0], ['fsync', 'a'], ['write', 'a', 'y', 1], ['fdatasync', 'a'], ['write', 'a', 'z', 2]],
    after: { a: 'xy....', b: '......' },
  },
  { name: 'a new file whose folder was not synced', steps: [['write', 'n', 'text', 0], ['fsync', 'n']], after: { n: undefined } },
  { name: 'not a new file that was synced with its folder', steps: [['write', 'n', 'text', 0], ['fsync', 'n'], ['syncFolder', '']], after: { n: 'text' } },
  { name: 'the content of a new file of which only the name was synced', steps: [['write', 'n', 'text', 0], ['syncFolder', '']], after: { n: '' } },
  { name: 'a removal', before: { a: 'text' }, steps: [['unlink', 'a']], after: { a: 'text' } },
  {
    name: 'a rename and what was written under the new name', before: { a: 'first', b: 'second' },
    steps: [['rename', 'a', 'b'], ['write', 'b', 'FIRST', 0]], after: { a: 'first', b: 'second' },
  },
  { name: 'not a rename that was synced', before: { a: 'first', b: 'second' }, steps: [['rename', 'a', 'b'], ['syncFolder', '']], after: { a: undefined, b: 'first' } },
  {
    name: 'nothing of a file that another one replaced, in the other one', before: { a: 'aaaa' },
    steps: [['write', 'a', 'AAAA', 0], ['unlink', 'a'], ['write', 'b', 'bbbb', 0], ['fsync', 'b'], ['syncFolder', '']], after: { a: undefined, b: 'bbbb' },
  },
  { name: 'nothing when all unsynced writes survive', before: { a: '......' }, steps: [['write', 'a', 'x', 0], ['write', 'a', 'y', 3]], cut: { keep: 1 }, after: { a: 'x..y..' } },
];

describe('the replay after a power cut takes back', function () {
  this.timeout(120_000);
  before(function () { requireOrSkip(this, canCutPower(), 'needs Linux and gcc'); });

  for (const { name, before = {}, steps, after, cut } of CASES) {
    it(name, () => {
      const folder = folderWith(before);
      change(folder, steps);
      folder.cut(cut);
      expect(contents(folder, Object.keys({ ...before, ...after }))).to.deep.equal({ ...before, ...after });
    });
  }

  it('a random part, the same one for the same seed, with the last survivor torn at a sector', () => {
    const results = [1, 1, 2, 3, 4].map((seed) => {
      const folder = folderWith({ a: '.'.repeat(40_960) });
      change(folder, Array.from({ length: 10 }, (_, index) => ['write', 'a', String(index).repeat(4096), index * 4096] as const));
      const { live, kept } = folder.cut({ keep: 0.5, seed });
      expect(live).to.equal(10);
      return { kept, text: readFileSync(join(folder.path, 'a'), 'utf8') };
    });
    expect(results[0]).to.deep.equal(results[1]);
    expect(new Set(results.map(({ text }) => text)).size, 'different seeds').to.be.greaterThan(2);
    for (const { kept, text } of results) {
      const written = text.replaceAll('.', '').length;
      expect(written % 512).to.equal(0);
      expect(written).to.be.within(kept === 0 ? 0 : (kept - 1) * 4096 + 512, kept * 4096);
    }
  });

  it('the shared memory of SQLite as well', () => {
    const folder = folderWith({ 'a.db-shm': 'whatever' });
    change(folder, []);
    folder.cut();
    expect(existsSync(join(folder.path, 'a.db-shm'))).to.equal(false);
  });
});

function folderWith(files: Contents): CuttableFolder {
  const folder = new CuttableFolder(join(tempFolder(), 'data'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text ?? '');
  return folder;
}

/** Lets a program change the folder and kill itself. */
function change(folder: CuttableFolder, steps: readonly Step[]): void {
  const { signal, stderr } = spawnSync(process.execPath, [CHANGES, folder.path, JSON.stringify(steps)], {
    env: { PATH: process.env['PATH'], ...folder.nextLife() }, encoding: 'utf8',
  });
  expect(signal, stderr).to.equal('SIGKILL');
}

function contents({ path }: CuttableFolder, names: readonly string[]): Contents {
  return Object.fromEntries(names.map((name) => [name, existsSync(join(path, name)) ? readFileSync(join(path, name), 'utf8') : undefined]));
}

import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ImportVersions } from './import-versions.js';

const STEP = { file: 'steps/a.step.js', version: '1', steps: [] } as const;

describe('the versions of what Step files import', () => {
  let root: string;
  let versions: ImportVersions;
  const { readFile } = fs;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'treadle-imports-'));
    writeFileSync(join(root, 'words.js'), 'one');
    // Long before the worker was asked to load it.
    utimesSync(join(root, 'words.js'), 1, 1);
    versions = new ImportVersions(root);
    versions.learn([{ ...STEP, imports: ['words.js'] }]);
  });
  afterEach(() => {
    fs.readFile = readFile;
    syncBuiltinESMExports();
    rmSync(root, { recursive: true });
  });
  const apply = async (): Promise<string | undefined> => (await versions.apply([STEP]))[0]?.version;

  it('stay as they are until one of these changes', async () => {
    expect(await versions.remember(Date.now())).to.equal(false);
    expect(await apply()).to.equal('1');
    writeFileSync(join(root, 'words.js'), 'two');
    const second = await apply();
    expect(second).to.not.equal('1');
    expect(await apply()).to.equal(second);
  });

  it('change for an import that is saved while its content is noted for the first time', async () => {
    fs.readFile = ((...args: Parameters<typeof readFile>) => {
      fs.readFile = readFile;
      syncBuiltinESMExports();
      writeFileSync(join(root, 'words.js'), 'two');
      return readFile(...args);
    }) as typeof readFile;
    syncBuiltinESMExports();
    expect(await versions.remember(Date.now() - 10_000), 'is to be looked at again').to.equal(true);
    expect(await apply()).to.not.equal('1');
  });
});

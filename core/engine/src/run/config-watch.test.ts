import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { watchConfig } from './config-watch.js';

describe('config watch', () => {
  let folder: string;
  let file: string;
  let changes: number;
  let unwatch: () => void = () => undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'treadle-watch-'));
    file = join(folder, 'config.yaml');
    changes = 0;
    writeFileSync(file, 'one');
  });
  afterEach(() => {
    unwatch();
    rmSync(folder, { recursive: true, force: true });
  });
  const watch = (): void => { unwatch = watchConfig(file, () => { changes++; }); };

  it('sees a file that is written in place, twice', async () => {
    watch();
    writeFileSync(file, 'two');
    await until(() => changes === 1);
    writeFileSync(file, 'three');
    await until(() => changes === 2);
  });

  it('sees a file that an editor replaces, twice', async () => {
    watch();
    for (const [round, content] of ['two', 'three'].entries()) {
      writeFileSync(join(folder, '.config.yaml.swp'), content);
      renameSync(join(folder, '.config.yaml.swp'), file);
      await until(() => changes === round + 1);
    }
  });

  it('sees a folder of mounted configuration that is swapped by a link', async () => {
    for (const name of ['a', 'b']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'config.yaml'), name);
    }
    rmSync(file);
    symlinkSync('a', join(folder, '..data'));
    symlinkSync(join('..data', 'config.yaml'), file);
    watch();
    symlinkSync('b', join(folder, '..next'));
    renameSync(join(folder, '..next'), join(folder, '..data'));
    await until(() => changes === 1);
  });

  it('sees the file behind a link change', async () => {
    mkdirSync(join(folder, 'elsewhere'));
    renameSync(file, join(folder, 'elsewhere', 'real.yaml'));
    symlinkSync(join('elsewhere', 'real.yaml'), file);
    watch();
    writeFileSync(join(folder, 'elsewhere', 'real.yaml'), 'two');
    await until(() => changes === 1);
  });

  it('says nothing when the content stays or another file changes', async () => {
    watch();
    writeFileSync(file, 'one');
    writeFileSync(join(folder, 'other.yaml'), 'x');
    await wait(300);
    expect(changes).to.equal(0);
  });

  it('says nothing once it is stopped', async () => {
    watch();
    unwatch();
    writeFileSync(file, 'two');
    await wait(300);
    expect(changes).to.equal(0);
  });
});

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 1_000 && !holds(); i++) await wait(20);
  expect(holds()).to.equal(true);
}

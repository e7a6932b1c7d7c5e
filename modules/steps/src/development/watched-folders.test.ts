import { cpSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { WatchedFolders } from './watched-folders.js';

const none = (): readonly string[] => [];

describe('watched folders', () => {
  let folder: string;
  let root: string;
  let events: number;
  let folders: WatchedFolders;
  const at = (path: string): string => join(root, path);
  beforeEach(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'treadle-folders-')));
    root = join(folder, 'app');
    for (const path of ['app/steps/x', 'backup']) {
      mkdirSync(join(folder, path), { recursive: true });
      writeFileSync(join(folder, path, 'a.step.ts'), 'one');
    }
    writeFileSync(join(folder, 'shared.ts'), 'one');
    symlinkSync('../../shared.ts', at('steps/linked.step.ts'));
    events = 0;
    folders = new WatchedFolders({ root, onEvent: () => { events++; }, onError: (error) => { throw error; } });
    await folders.sync(none);
  });
  afterEach(() => {
    folders.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Looks again, as after an event, until nothing is new, and then writes a file. */
  async function sees(file: string): Promise<boolean> {
    await wait(50);
    while (await folders.sync(none));
    await wait(50);
    events = 0;
    writeFileSync(file, 'two');
    for (let i = 0; i < 50 && events === 0; i++) await wait(20);
    return events > 0;
  }

  it('sees what is saved in a folder that was removed and made again', async () => {
    rmSync(at('steps/x'), { recursive: true });
    cpSync(join(folder, 'backup'), at('steps/x'), { recursive: true });
    expect(await sees(at('steps/x/a.step.ts'))).to.equal(true);
  });

  it('sees what is saved in a folder that took the place of another one', async () => {
    renameSync(at('steps/x'), join(folder, 'old'));
    renameSync(join(folder, 'backup'), at('steps/x'));
    expect(await sees(at('steps/x/a.step.ts'))).to.equal(true);
    expect(await sees(join(folder, 'old/a.step.ts'))).to.equal(false);
  });

  it('sees a save behind a Step file that is a link, and nothing else there', async () => {
    expect(await sees(join(folder, 'shared.ts'))).to.equal(true);
    expect(await sees(join(folder, 'other.ts'))).to.equal(false);
  });

  it('tells when something is watched anew', async () => {
    expect(await folders.sync(none)).to.equal(false);
    mkdirSync(at('steps/y'));
    expect(await folders.sync(none)).to.equal(true);
    expect(await folders.sync(none)).to.equal(false);
  });

  it('sees what is saved in a folder that was learnt of while an earlier look was under way', async function () {
    this.timeout(60_000);
    mkdirSync(join(folder, 'lib'));
    // The earlier look has much to walk through, and the next one has not.
    const many = Array.from({ length: 1_000 }, (_, index) => at(`steps/many${index}`));
    for (const path of many) mkdirSync(path);
    let imports: readonly string[] = [];
    const earlier = folders.sync(() => imports);
    await wait(5);
    for (const path of many) rmSync(path, { recursive: true });
    imports = ['../lib/new.ts'];
    await Promise.all([earlier, folders.sync(() => imports)]);
    events = 0;
    writeFileSync(join(folder, 'lib/new.ts'), 'one');
    while (events === 0) await wait(20);
  });
});

import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Logger, StepFileReport } from '@treadle/api';
import { eventually, fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { StepWatcher } from './step-watcher.js';

describe('the watcher of Step files', () => {
  let folder: string;
  beforeEach(() => { folder = realpathSync(mkdtempSync(join(tmpdir(), 'treadle-watcher-'))); });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('looks once more after it has learnt of a folder that it did not watch: what came there just before raised no event', async () => {
    const clock = fakeClock(Date.now());
    const [root, imported] = [join(folder, 'app'), join(folder, 'lib', 'a.ts')];
    for (const file of [join(root, 'steps', 'a.step.ts'), imported]) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, 'one');
      utimesSync(file, 1, 1);
    }
    let looks = 0;
    const log = { warn: (message: string) => { throw new Error(message); } } as unknown as Logger;
    const watcher = new StepWatcher({ root, clock, log, loadedMs: clock.now(), onChange: () => undefined, onLook: () => Promise.resolve(void (looks += 1)) });
    const look = async (): Promise<number> => {
      await clock.advance(25);
      return looks;
    };
    try {
      await watcher.start([]);
      await eventually('the first look', look, (count) => count === 1, 30_000);
      const reports = [{ file: 'steps/a.step.ts', imports: ['../lib/a.ts'] }] as unknown as readonly StepFileReport[];
      await watcher.learn(reports);
      await eventually('another look', look, (count) => count === 2, 30_000);
      await watcher.learn(reports);
      expect(await look(), 'nothing is new').to.equal(2);
    } finally {
      await watcher.close();
    }
  });
});

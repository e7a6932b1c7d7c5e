import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { formatLocation, type StepFailure } from '@treadle/api';
import { expect } from 'chai';
import type { StepEngine } from '@treadle/testing';
import { failure, startEngine, type StartOptions, stepFile, until } from './runtime.fixture.js';

const says = (word: string, path?: string): string => stepFile('Say', `return { status: 200, body: '${word}' };`, path);
const OTHER = stepFile('Other', 'return { status: 200, body: 1 };');

describe('development mode', function development() {
  this.timeout(180_000);
  let test: StepEngine;
  const start = async (options: Partial<StartOptions> = {}): Promise<void> => {
    test = await startEngine({ files: { 'steps/say.step.ts': says('one'), 'steps/other.step.ts': OTHER }, mode: 'development', ...options });
    await test.serving('Say');
  };
  const becomes = (word: string): Promise<void> => until(async () => await test.answer('Say') === word);
  /** What is wrong, apart from the HTTP module that these engines lack. */
  const problems = (): string[] => test.port.diagnostics()
    .filter((diagnostic) => diagnostic.code !== 'STEP_KIND_NOT_LOADED').map((diagnostic) => `${formatLocation(diagnostic)} ${diagnostic.code}`);
  afterEach(() => test.stop());

  it('swaps a saved Step again and again and fails no request meanwhile', async () => {
    await start();
    let stop = false;
    let served = 0;
    const load = Promise.all(Array.from({ length: 8 }, async () => {
      for (; !stop; served++) await test.answer('Say');
    }));
    for (const word of ['two', 'three', 'four', 'five', 'six']) {
      // As people save: by then a process is ready that tries the change.
      await wait(1_000);
      await test.write('steps/say.step.ts', says(word));
      await becomes(word);
    }
    stop = true;
    await load;
    expect(served).to.be.greaterThan(100);
    expect(test.port.crashes()).to.deep.equal([]);
  });

  it('lets a running handler finish on the version that it began with', async () => {
    const slow = (word: string): string => stepFile('Say', `await new Promise((r) => setTimeout(r, 400)); return { status: 200, body: '${word}' };`);
    await start({ files: { 'steps/say.step.ts': slow('one') } });
    const running = test.answer('Say');
    await test.write('steps/say.step.ts', slow('two'));
    await becomes('two');
    expect(await running).to.equal('one');
  });

  it('goes on with the last good version while a file has a syntax error, and shows where it is', async () => {
    await start();
    await test.write('steps/say.step.ts', 'const a = 1;\nconst b = ;\n');
    await until(() => problems().length === 1);
    expect(problems()[0]).to.match(/^steps\/say\.step\.ts:2(:\d+)? STEP_SYNTAX$/);
    expect(await test.answer('Say')).to.equal('one');
    await test.write('steps/say.step.ts', says('two'));
    await becomes('two');
    await until(() => problems().length === 0);
  });

  it('goes on with the last good config while the new one is faulty', async () => {
    await start();
    await test.write('steps/say.step.ts', says('two').replace("name: 'Say'", "name: 'Say', flow: []"));
    await until(() => problems().length === 1);
    expect(problems()[0]).to.match(/^steps\/say\.step\.ts:\d+ STEP_UNKNOWN_KEY$/);
    expect(test.engine.dispatch.invoker.servers('Say')).to.equal(1);
    await test.write('steps/say.step.ts', says('three'));
    await becomes('three');
    expect(problems()).to.deep.equal([]);
  });

  it('takes up new files, also in new folders, and lets removed ones go', async () => {
    await start();
    await test.write('steps/deep/er/new.step.ts', stepFile('New', 'return { status: 200, body: 7 };'));
    await test.serving('New');
    expect(await test.answer('New')).to.equal(7);
    await test.write('steps/deep/er/newer.step.ts', stepFile('Newer', 'return { status: 200, body: 8 };'));
    await test.serving('Newer');
    await rm(join(test.root, 'steps/deep'), { recursive: true });
    await until(() => test.engine.dispatch.catalog.steps().length === 2);
    expect((await failure(test.invoke('New'))).code).to.equal('no_worker');
  });

  it('starts a process for the first file of an application that had none', async () => {
    test = await startEngine({ files: {}, mode: 'development' });
    expect(test.port.workers()).to.deep.equal([]);
    await test.write('steps/say.step.ts', says('one'));
    await test.serving('Say');
  });

  it('loads a Step again when a file that it imports changes', async () => {
    const importing = `import { word } from '../lib/word.js';\n${stepFile('Say', 'return { status: 200, body: word };')}`;
    await start({ files: { 'steps/say.step.ts': importing, 'lib/word.ts': "export const word: string = 'one';" } });
    expect(await test.answer('Say')).to.equal('one');
    for (const word of ['two', 'three']) {
      await test.write('lib/word.ts', `export const word: string = '${word}';`);
      await becomes(word);
    }
  });

  it('tries a Step again when what it imports appears', async () => {
    await start();
    await test.write('steps/say.step.ts', `import { word } from './word.js';\n${stepFile('Say', 'return { status: 200, body: word };')}`);
    await until(() => problems().length === 1);
    expect(await test.answer('Say')).to.equal('one');
    await test.write('steps/word.ts', "export const word: string = 'two';");
    await becomes('two');
    await until(() => problems().length === 0);
  });

  it('starts a crashed worker at once when its Steps are mended', async () => {
    await start();
    await test.write('steps/say.step.ts', says('two').replace("return", "process.kill(process.pid, 'SIGKILL'); return"));
    await until(async () => (await test.invoke('Say', { waitMs: 1000 }).catch((error: unknown) => error) as StepFailure).code === 'worker_lost');
    await test.write('steps/say.step.ts', says('three'));
    await until(async () => await test.answer('Say', { waitMs: 1000 }).catch(() => undefined) === 'three');
  });
});

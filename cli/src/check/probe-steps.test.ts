import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { errorOf } from '@treadle/testing';
import { discoverStepFiles } from '@treadle/worker';
import { makeApp, removeApp } from '../cli.fixture.js';
import { probeSteps } from '../../dist/check/probe-steps.js';

/** Far more than the last file takes; its process may take longer to begin. */
const LIMIT_MS = 3000;

describe('the probe of Step files', () => {
  let folder: string;
  afterEach(() => removeApp(folder));

  it('gives up on a file after its time limit, awaiting or blocking, and goes on with the next', async () => {
    folder = makeApp({
      'steps/a.step.js': 'await new Promise((resolve) => setTimeout(resolve, 60000));\n',
      'steps/b.step.js': 'for (;;) {}\n',
      'steps/c.step.js': "export const config = { name: 'C', triggers: [] };\nexport const handler = async () => {};\n",
    });
    const seen: string[] = [];
    const reports = await probeSteps({
      root: folder, files: await discoverStepFiles(folder), env: process.env, fileLimitMs: LIMIT_MS,
      onFile: (file, done) => seen.push(`${done} ${file}`),
    });
    expect(reports.map((report) => [report.file, report.problem?.kind, report.problem?.message])).to.deep.equal([
      ['steps/a.step.js', 'timeout', 'the file did not finish loading in 3 s'],
      ['steps/b.step.js', 'timeout', 'the file did not finish loading in 3 s'],
      ['steps/c.step.js', undefined, undefined],
    ]);
    expect(seen).to.deep.equal(['0 steps/a.step.js', '1 steps/b.step.js', '2 steps/c.step.js']);
  });

  it('blames no file for a process that is slow to begin', async () => {
    folder = makeApp({
      'slow.cjs': `if (require('node:worker_threads').isMainThread) for (const end = Date.now() + ${LIMIT_MS + 1000}; Date.now() < end;);\n`,
      'steps/c.step.js': "export const config = { name: 'C', triggers: [] };\nexport const handler = async () => {};\n",
    });
    const env = { ...process.env, NODE_OPTIONS: '--require=./slow.cjs' };
    const [report] = await probeSteps({ root: folder, files: await discoverStepFiles(folder), env, fileLimitMs: LIMIT_MS });
    expect(report?.problem).to.equal(undefined);
  });

  const STEP = "export const config = { name: 'C', triggers: [] };\nexport const handler = async () => {};\n";
  for (const [what, program, reason] of [
    ['does not begin in time', 'for (;;);', /^the process that imports Step files is not available: it did not begin within 2 s$/],
    // An end that shows by its channel first is made sure of.
    ['ends before it begins', 'process.exit(9);', /is not available: it ended with (exit code 9|signal SIGKILL) before it imported a file$/],
  ] as const) {
    it(`says that its process ${what}, and starts no other one`, async () => {
      folder = makeApp({
        'start.cjs': `require('node:fs').appendFileSync('starts', 'x');\n${program}\n`, 'steps/c.step.js': STEP, 'steps/d.step.js': STEP,
      });
      const error = await errorOf(probeSteps({
        root: folder, files: await discoverStepFiles(folder), env: { ...process.env, NODE_OPTIONS: '--require=./start.cjs' }, startLimitMs: 2000,
      }));
      expect(error).to.have.property('code', 'SERVICE_UNAVAILABLE');
      expect((error as Error).message).to.match(reason);
      expect(readFileSync(join(folder, 'starts'), 'utf8')).to.equal('x');
    });
  }
});

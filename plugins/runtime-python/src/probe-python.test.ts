import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorOf } from '@treadle/testing';
import { discoverStepFiles } from '@treadle/worker/discover';
import { expect } from 'chai';
import { probePython } from './probe-python.js';
import { makeApplication, stepFile } from './runtime.fixture.js';

describe('the probe of Python files', function probe() {
  this.timeout(180_000);
  let root: string;
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('tells what each file declares, whatever it prints, and goes on after one that ends the process', async () => {
    root = await makeApplication({
      files: {
        'lib/words.py': 'word = 1\n', 'steps/a_step.py': `print("noise")\n${stepFile('A', 'pass')}`, 'steps/b_step.py': 'import os\nos._exit(3)\n',
        'steps/c_step.py': 'while True: pass\n', 'steps/d_step.py': `from lib import words\n${stepFile('D', 'pass')}`, 'steps/e_step.py': 'x =\n',
      },
    });
    const seen: string[] = [];
    const reports = await probePython({
      root, files: await discoverStepFiles(root), env: process.env, fileLimitMs: 1500, onFile: (file, done) => seen.push(`${done} ${file}`),
    });
    expect(reports.map(({ file, steps, problem, imports }) => [file, steps.length, problem?.kind, problem?.message, imports])).to.deep.equal([
      ['steps/a_step.py', 1, undefined, undefined, []],
      ['steps/b_step.py', 0, 'import', 'the process ended with exit code 3 while the file was loaded', undefined],
      ['steps/c_step.py', 0, 'timeout', 'the file did not finish loading in 1.5 s', undefined],
      ['steps/d_step.py', 1, undefined, undefined, ['lib/words.py']],
      ['steps/e_step.py', 0, 'syntax', 'invalid syntax', []],
    ]);
    expect(seen).to.deep.equal(['0 steps/a_step.py', '1 steps/b_step.py', '2 steps/c_step.py', '3 steps/d_step.py', '4 steps/e_step.py']);
  });

  for (const [what, program, reason] of [
    ['does not begin in time', 'while True: pass', 'it did not begin within 2 s'],
    ['ends before it begins', 'os._exit(9)', 'it ended with exit code 9 before it imported a file'],
  ] as const) {
    it(`says that its process ${what}, and starts no other one`, async () => {
      root = await makeApplication({ files: {
        'start/sitecustomize.py': `import os\nopen("starts", "a").write("x")\n${program}\n`, 'steps/a_step.py': stepFile('A', 'pass'), 'steps/b_step.py': stepFile('B', 'pass'),
      } });
      const env = { ...process.env, PYTHONPATH: join(root, 'start') };
      const error = await errorOf(probePython({ root, files: await discoverStepFiles(root), env, startLimitMs: 2000 }));
      expect(error).to.include({ code: 'SERVICE_UNAVAILABLE', message: `the process that imports Step files is not available: ${reason}` });
      expect(readFileSync(join(root, 'starts'), 'utf8')).to.equal('x');
    });
  }

  it('says of each file that there is no interpreter', async () => {
    root = await makeApplication({ files: { 'steps/a_step.py': '' } });
    const [report] = await probePython({ root, files: await discoverStepFiles(root), env: process.env, python: './nowhere' });
    expect(report?.problem).to.deep.equal({ kind: 'interpreter', message: 'Python 3.10 or newer is needed; "python" names ./nowhere, which does not exist' });
  });
});

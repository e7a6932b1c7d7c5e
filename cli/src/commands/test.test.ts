import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { addFiles, makeApp, removeApp, runCli, startCli, type CommandOutcome } from '../cli.fixture.js';
import type { TestReport } from '../test/test-report.js';

const STEP = `import { http, step } from 'treadle';
import { double } from '../src/double';
export default step({ name: 'Double', triggers: [http('GET', '/double/:n')] }, async ({ pathParams }) => (
  { status: 200, body: { n: double(Number(pathParams['n'])) } }));`;
const NODE_TEST = `import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createTestEngine, type TestEngine } from '@treadle/engine/testing';
import { calls, double } from '../src/double.js';
let app: TestEngine;
before(async () => { app = await createTestEngine(); });
after(() => app.stop());
it('doubles', async () => assert.deepEqual((await app.http('GET', '/double/4')).body, { n: double(4) }));
it('shares its modules with the Steps', () => assert.equal(calls.length, 2));
it.skip('is left out', () => undefined);`;
const FILES = {
  'package.json': '{ "type": "module" }', 'steps/double.step.ts': STEP, 'steps/double.test.ts': NODE_TEST,
  'src/double.ts': 'export const calls: number[] = [];\nexport const double = (n: number): number => { calls.push(n); return n * 2; };',
};
const PYTHON_TEST = `import unittest
from words import WORD

class Words(unittest.TestCase):
    def test_word(self):
        self.assertEqual(WORD, "hello")

    @unittest.skip("not yet")
    def test_later(self):
        self.fail()
`;

describe('treadle test', function () {
  this.timeout(120_000);
  let app = '';
  const run = (...args: string[]): Promise<CommandOutcome> => runCli(['test', ...args], { cwd: app });
  const report = async (...args: string[]): Promise<TestReport> => JSON.parse((await run('--json', ...args)).stdout) as TestReport;
  beforeEach(() => { app = makeApp(FILES); });
  afterEach(() => removeApp(app));

  it('runs tests in TypeScript as they are, with what they import', async () => {
    const { code, stdout } = await run();
    expect(stdout).to.match(/✔ doubles/).and.match(/✔ shares its modules with the Steps/).and.match(/pass 2\b/);
    expect(code).to.equal(0);
  });

  it('tells each failure once, with its place and the frames of the application alone', async () => {
    addFiles(app, {
      'tests/fails.test.ts': "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\ntest('differs', () => {\n  assert.deepEqual({ a: 1, b: [1] }, { a: 2, b: [1] });\n});\n",
      'tests/syntax.test.ts': "import { test } from 'node:test';\ntest('x', () => {\n  const x = ;\n});\n",
    });
    const { code, stdout } = await run('tests/fails', 'tests/syntax');
    expect(code).to.equal(1);
    expect(stdout.match(/Expected values to be strictly deep-equal/g)).to.have.length(1);
    expect(stdout.match(/✖ differs/g)).to.have.length(2);
    expect(stdout).to.match(/at .*tests\/fails\.test\.ts:4:\d+/).and.match(/SyntaxError\S*: Unexpected ";"\n {4}at \S*tests\/syntax\.test\.ts:3:13\n/);
    expect(stdout).not.to.match(/^\s+at .*(?:node:|transform\.js|hooks\.js)/m);
  });

  it('runs JavaScript, in packages of any type, and says which test failed', async () => {
    addFiles(app, {
      'package.json': '{}', 'a.test.js': "const { it } = require('node:test');\nit('is common', () => { throw new Error('but broken'); });",
      'b.spec.mjs': "import { it } from 'node:test';\nit('is a module', () => undefined);", 'node_modules_not/c.test.ts': 'export {};',
    });
    const { exitCode, runs } = await report('a.test', './b.spec.mjs');
    expect(runs).to.deep.equal([{ runner: 'node', files: ['a.test.js', 'b.spec.mjs'], exitCode: 1, tests: { passed: 1, failed: 1, skipped: 0 } }]);
    expect(exitCode).to.equal(1);
    const { code, stdout } = await run('a.test');
    expect([code, stdout]).to.satisfy(([exit, text]: [number, string]) => exit === 1 && text.includes('but broken'));
  });

  it('runs files whose paths have characters of patterns in them', async () => {
    const [id, braces] = ['steps/[id]/a.test.js', 'steps/{a,b}/(c).test.js'];
    addFiles(app, { 'package.json': '{}', [id]: "require('node:test').it('has an id', () => undefined);", [braces]: "require('node:test').it('has braces', () => undefined);" });
    const { runs } = await report('[id]', '(c)');
    expect(runs).to.deep.equal([{ runner: 'node', files: [id, braces], exitCode: 0, tests: { passed: 2, failed: 0, skipped: 0 } }]);
  });

  it('hands what follows "--" to the runner', async () => {
    const { runs } = await report('--', '--test-name-pattern=shares');
    expect(runs[0]?.tests?.failed).to.equal(1);
    expect((await run('--', '--test-name-pattern=doubles')).code).to.equal(0);
  });

  it('says what a test cannot be loaded for', async () => {
    addFiles(app, { 'steps/double.test.ts': "import { it } from 'node:test';\nconst x: = 1;" });
    const { code, stdout } = await run();
    expect(code).to.equal(1);
    expect(stdout).to.match(/double\.test\.ts/).and.match(/Unexpected "="/);
  });

  it('runs again in watch mode what a change concerns', async () => {
    const child = startCli(['test', '--watch'], { cwd: app });
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => { text += chunk.toString(); });
    const until = async (pattern: RegExp): Promise<void> => { while (!pattern.test(text)) await once(child.stdout as NodeJS.ReadableStream, 'data'); };
    try {
      await until(/✔ doubles[^]*duration_ms/);
      text = '';
      writeFileSync(join(app, 'src/double.ts'), 'export const calls = [1];\nexport const double = (n: number): number => n;');
      await until(/✖ shares its modules with the Steps[^]*duration_ms/);
    } finally {
      child.kill('SIGTERM');
      await once(child, 'close');
    }
  });

  describe('with Python', () => {
    before(async function () {
      const probe = spawn('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))'], { stdio: 'ignore' });
      const found = await new Promise<boolean>((resolve) => {
        probe.once('error', () => resolve(false));
        probe.once('close', (code) => resolve(code === 0));
      });
      if (found) return;
      if (process.env['CI'] === 'true') throw new Error('these tests need Python 3.10 or newer');
      this.skip();
    });
    beforeEach(() => addFiles(app, { 'py-tests/test_words.py': PYTHON_TEST, 'py-tests/words.py': 'WORD = "hello"\n' }));

    it('runs both languages and counts each', async () => {
      const { exitCode, runs } = await report();
      expect(runs).to.deep.equal([
        { runner: 'node', files: ['steps/double.test.ts'], exitCode: 0, tests: { passed: 2, failed: 0, skipped: 1 } },
        { runner: 'python', files: ['py-tests/test_words.py'], exitCode: 0, tests: { passed: 1, failed: 0, skipped: 1 } },
      ]);
      expect(exitCode).to.equal(0);
    });

    it('ends with the worst exit code; a file that cannot be imported leaves the others to run', async () => {
      addFiles(app, { 'py-tests/broken_test.py': 'import nothing_like_this\n' });
      const { exitCode, runs } = await report();
      expect(runs.map(({ tests }) => tests)).to.deep.equal([{ passed: 2, failed: 0, skipped: 1 }, { passed: 1, failed: 1, skipped: 1 }]);
      expect(exitCode).to.equal(1);
      expect((await run('broken_test')).stderr).to.match(/No module named 'nothing_like_this'/);
    });

    it('passes options on to unittest, but not to two runners at once', async () => {
      expect((await run('test_words', '--', '-v')).stderr).to.match(/test_word \(.*\.\.\. ok/);
      const { code, stderr } = await run('--', '-v');
      expect(code).to.equal(64);
      expect(stderr).to.match(/what follows "--" is for one runner, and there are tests for Node and for Python/);
    });

    it('fails where there are files and no test ran', async () => {
      addFiles(app, { 'py-tests/test_nothing.py': '' });
      const { code, stderr } = await run('test_nothing');
      expect(code).to.be.oneOf([1, 5]);
      expect(stderr).to.match(/error {2}USAGE {2}no test ran in py-tests\/test_nothing\.py\n {4}hint: see whether they declare tests/);
    });

    it('says when there is no interpreter', async () => {
      const { code, stderr } = await runCli(['test', 'test_words'], { cwd: app, env: { PATH: '/nowhere' } });
      expect(code).to.equal(69);
      expect(stderr).to.match(/Python, for py-tests\/test_words\.py, is not available|Python, for py-tests\/test_words\.py/);
    });
  });

  it('says when there are none, or none that fit', async () => {
    const { code, stderr } = await run('nothing');
    expect([code, stderr.trim()]).to.deep.equal([64, 'error  USAGE  no test file fits "nothing"\n    hint: there are steps/double.test.ts']);
    const empty = makeApp({ 'package.json': '{}', 'dist/a.test.js': '', '.hidden/a.test.js': '' });
    try {
      const none = await runCli(['test'], { cwd: empty });
      expect(none.code).to.equal(64);
      expect(none.stderr).to.equal(`error  USAGE  there are no tests in ${empty}\n    hint: tests are files named *.test.ts, *.test.js, *.spec.ts, *.spec.js, test_*.py or *_test.py\n`);
    } finally {
      removeApp(empty);
    }
  });

  it('leaves the tests of packages inside the application to these', async () => {
    addFiles(app, {
      'beat/package.json': '{ "name": "acme-beat" }', 'beat/src/beat.test.ts': "throw new Error('not for this runner');",
      'tests/package.json': '{ "type": "commonjs" }', 'tests/marked.test.js': "require('node:test').it('runs', () => undefined);",
    });
    const { exitCode, runs } = await report();
    expect([exitCode, runs.map(({ files }) => files)]).to.deep.equal([0, [['steps/double.test.ts', 'tests/marked.test.js']]]);
    const { code, stderr } = await run('beat/src');
    expect([code, stderr.trim()]).to.deep.equal([64, 'error  USAGE  no test file fits "beat/src"\n    hint: beat is a package of its own: run its tests there']);
  });

  it('says so when all tests are those of packages inside', async () => {
    const outer = makeApp({ 'beat/package.json': '{ "name": "acme-beat" }', 'beat/a.test.js': '', 'broken/package.json': '{', 'broken/a.test.js': '' });
    try {
      const { code, stderr } = await runCli(['test'], { cwd: outer });
      expect([code, stderr]).to.deep.equal([64, `error  USAGE  there are no tests in ${outer}\n    hint: beat, broken are packages of their own: run their tests there\n`]);
    } finally {
      removeApp(outer);
    }
  });

  it('refuses --watch with --json, and without tests that can be watched', async () => {
    expect((await run('--watch', '--json')).stdout).to.contain('--watch never ends');
    addFiles(app, { 'test_a.py': '' });
    expect((await run('--watch', 'test_a')).stderr).to.contain('there are none');
  });

});

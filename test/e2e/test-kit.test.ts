import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../architecture/workspace.js';
import { cleanEnvironment } from '../support/engine-process.js';
import { requirePython } from '../support/require-python.js';
import { copyOfSample, tempApplication } from '../support/temp-folder.js';

const STEP = `import { http, queue, step } from 'treadle';
import { word } from '../src/word';
export default step({ name: 'Say', triggers: [http('POST', '/say'), queue('say')], enqueues: ['say'] }, async (_input, ctx) => ctx.match({
  http: async () => { await ctx.enqueue({ topic: 'say', data: word }); return { status: 202 }; },
  queue: async (data) => void await ctx.state.set('said', 'it', data),
}));`;
const BODY = `const app = await createTestEngine();
  try {
    const { status, body } = await app.http('POST', '/say');
    await app.untilIdle();
    equal([status, await app.state.get('said', 'it')].join(), '202,hello', JSON.stringify(body));
  } finally {
    await app.stop();
  }`;
const FILES = { 'src/word.ts': "export const word: string = 'hello';", 'steps/say.step.ts': STEP };
const IMPORTS = "import { equal } from 'node:assert/strict';\nimport { createTestEngine } from '@treadle/engine/testing';\n";

interface Outcome { readonly code: number; readonly output: string }

/** Runs Node to its end: what leaves a handle open never gets there. */
function node(args: readonly string[], cwd: string): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd, env: cleanEnvironment(), timeout: 100_000 }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: `${stdout}\n${stderr}` });
    });
  });
}

describe('tests of applications', function () {
  this.timeout(120_000);

  it('of the tickets application pass, in both languages', async function () {
    await requirePython(this);
    const { code, output } = await node([join(ROOT, 'cli/bin/run.js'), 'test', '--json'], copyOfSample('tickets'));
    expect(code, output).to.equal(0);
    expect((JSON.parse(output.slice(output.indexOf('{\n'), output.lastIndexOf('\n}') + 2)) as { runs: unknown }).runs).to.deep.equal([
      { runner: 'node', files: ['tests/tickets.test.ts'], exitCode: 0, tests: { passed: 5, failed: 0, skipped: 0 } },
      { runner: 'python', files: ['tests/test_notify_customer.py'], exitCode: 0, tests: { passed: 5, failed: 0, skipped: 0 } }]);
  });

  it('run in plain node --test, with Steps in TypeScript', async () => {
    const cwd = tempApplication({ ...FILES, 'say.test.mjs': `import { it } from 'node:test';\n${IMPORTS}it('says it', async () => {\n  ${BODY}\n});\n` });
    const { code, output } = await node(['--test', 'say.test.mjs'], cwd);
    expect(code, output).to.equal(0);
    expect(output).to.match(/pass 1\b/);
  });

  it('run in mocha, many in one process, which then ends by itself', async () => {
    const tests = Array.from({ length: 5 }, (_, n) => `it('says it ${n}', async function () {\n  this.timeout(60_000);\n  ${BODY}\n});`);
    const cwd = tempApplication({ ...FILES, 'say.mocha.mjs': `${IMPORTS}${tests.join('\n')}\n` });
    const { code, output } = await node([join(ROOT, 'node_modules/mocha/bin/mocha.js'), '--no-config', 'say.mocha.mjs'], cwd);
    expect(code, output).to.equal(0);
    expect(output).to.match(/5 passing/);
  });

  it('run in CommonJS', async () => {
    const body = BODY.replaceAll('createTestEngine', '(await import("@treadle/engine/testing")).createTestEngine');
    const cwd = tempApplication({ ...FILES, 'package.json': '{}', 'say.test.cjs': `const { it } = require('node:test');\nconst { equal } = require('node:assert');\nit('says it', async () => {\n  ${body}\n});\n` });
    const { code, output } = await node(['--test', 'say.test.cjs'], cwd);
    expect(code, output).to.equal(0);
  });
});

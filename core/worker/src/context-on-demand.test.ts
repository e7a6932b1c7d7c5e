import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { AppFolder } from './runner.fixture.js';

/** What the program below saw. */
interface Seen {
  /** The flag, before anything ran. */
  readonly tracking: number;
  /** Runs that entered the storage. */
  readonly entered: number;
  /** Per round: what each Step answered, in the order of their files, each Step twice. */
  readonly rounds: readonly (readonly string[])[];
}

/** The flag never goes back, so every application gets a process; it runs all Steps at the same time, twice. */
const PROGRAM = `
import { existsSync } from 'node:fs';
import { discoverStepFiles, StepRunner } from '@treadle/worker';
import { contextStorage, contextTracking } from 'treadle';
let entered = 0;
const storage = contextStorage();
const { run } = storage;
storage.run = (...args) => { entered++; return run.apply(storage, args); };
const root = process.cwd();
if (existsSync('plugin.mjs')) await import(root + '/plugin.mjs');
const host = { log: () => undefined };
const caller = { operation: async () => undefined };
const runner = new StepRunner({ root, mode: 'production', host, inProcess: true });
const reports = process.argv[2] === 'adopt'
  ? await runner.adopt([{ file: 'steps/a.step.js', exports: await import(root + '/steps/a.step.js') }])
  : await runner.load(await discoverStepFiles(root));
const problem = reports.find((report) => report.problem);
if (problem) throw new Error(JSON.stringify(problem));
const tracking = contextTracking()[0];
let id = 0;
const invoke = (step) => new Promise((resolve) => runner.start(
  { id: ++id, step, trigger: { type: 'http', index: 0 }, input: { method: 'GET', path: '/', headers: {} }, traceparent: '', timeoutMs: 1000, attempt: 1 },
  caller, (outcome) => resolve(outcome.ok ? outcome.http.body.value : outcome.message)));
const steps = reports.flatMap((report) => report.steps.map(({ config }) => config.name));
const rounds = [];
for (const _ of [1, 2]) rounds.push(await Promise.all([...steps, ...steps].map(invoke)));
console.log(JSON.stringify({ tracking, entered, rounds }));
`;

const REST = "import { step, http } from 'treadle';\nconst pause = () => new Promise((done) => setTimeout(done, 5 * Math.random()));\n";
/** A Step that answers with the value of an expression, after a pause. */
const step = (name: string, imports: string, value: string): string =>
  `${imports}\n${REST}export default step({ name: '${name}', triggers: [http('GET', '/${name}')] }, async () => { await pause(); return { status: 200, body: ${value} }; });\n`;
const both = (imports: string, value: string): Record<string, string> =>
  ({ 'steps/a.step.js': step('A', imports, value), 'steps/b.step.ts': step('B', imports, value) });
const NAMES = ['A', 'B', 'A', 'B'];
const OUTSIDE = "getContext() was called outside a handler; it works while a Step's handler runs";
const MODULE = '{ "name": "tell", "type": "module", "exports": "./index.js" }';
const COMMON = '{ "name": "tell", "exports": "./index.js" }';
const TELL = 'steps/node_modules/tell';

/** Node keeps it cheaply: it is always there. */
const ALWAYS = Number(process.versions.node.split('.')[0]) >= 24;

describe('the context inside the engine', function () {
  this.timeout(180_000);

  async function seen(files: Record<string, string>, ...args: string[]): Promise<Seen> {
    const app = new AppFolder({ 'package.json': '{ "name": "app", "type": "module" }', 'program.mjs': PROGRAM, ...files });
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [join(app.root, 'program.mjs'), ...args], { cwd: app.root });
      return JSON.parse(stdout) as Seen;
    } finally {
      app.remove();
    }
  }

  it('is not kept when nothing can ask for it, where that costs something', async () => {
    const { tracking, entered, rounds } = await seen({
      ...both("import { z } from 'zod';\nimport { shown } from '../src/lib.ts';\nimport { told } from 'tell';", 'z.string().parse(shown + told)'),
      'src/lib.ts': "import { topic, type StepContext } from 'treadle';\n/** Not getContext(). */\nexport const shown: string = String(topic('x', {}));\nexport type C = StepContext;",
      [`${TELL}/package.json`]: COMMON, [`${TELL}/index.js`]: "exports.told = require('node:path').sep;",
    });
    const kept = ALWAYS ? { tracking: 1, entered: 8 } : { tracking: 0, entered: 0 };
    expect({ tracking, entered, rounds }).to.deep.equal({ ...kept, rounds: [0, 1].map(() => ['x/', 'x/', 'x/', 'x/']) });
  });

  const cases: readonly [string, Record<string, string>][] = [
    ['in a Step', both("import { getContext } from 'treadle';", 'getContext().stepName')],
    ['in a module that Steps share', {
      ...both("import { name } from '../src/name.ts';", 'await name()'),
      'src/name.ts': "import { getContext } from 'treadle';\nexport const name = async (): Promise<string> => { await null; return getContext().stepName; };",
    }],
    ['in a package', {
      ...both("import { name } from 'tell';", 'name()'), [`${TELL}/package.json`]: MODULE,
      [`${TELL}/index.js`]: "import { getContext as here } from 'treadle';\nexport const name = () => here().stepName;",
    }],
    ['through a namespace', both("import * as sdk from 'treadle';", "sdk['get' + 'Context']().stepName")],
    ['through export *', { ...both("import * as lib from '../src/lib.ts';", "lib['get' + 'Context']().stepName"), 'src/lib.ts': "export * from 'treadle';" }],
    ['through a dynamic import', both("const sdk = await import(['trea', 'dle'].join(''));", "sdk['get' + 'Context']().stepName")],
    ['by a dynamic import in CommonJS', {
      ...both("import tell from 'tell';", "(await tell.sdk)['get' + 'Context']().stepName"), [`${TELL}/package.json`]: COMMON,
      [`${TELL}/index.js`]: "exports.sdk = import('treadle');",
    }],
    ['in a file that a plugin loaded before', {
      ...both("import { name } from '../src/name.mjs';", 'name()'), 'plugin.mjs': "import './src/name.mjs';",
      'src/name.mjs': "import { getContext } from 'treadle';\nexport const name = () => getContext().stepName;",
    }],
  ];
  for (const [what, files] of cases) {
    it(`is there when it is asked for ${what}`, async () => {
      expect(await seen(files)).to.deep.equal({ tracking: 1, entered: 8, rounds: [NAMES, NAMES] });
    });
  }

  it('is there when CommonJS requires the package, where Node can', async function () {
    if (!('require_module' in process.features)) this.skip();
    const files = {
      ...both("import tell from 'tell';", 'tell.name()'), [`${TELL}/package.json`]: COMMON, [`${TELL}/index.js`]: "exports.name = require('./deep.js').name;",
      [`${TELL}/deep.js`]: "const { getContext } = require('treadle');\nexports.name = () => getContext().stepName;",
    };
    expect(await seen(files)).to.deep.equal({ tracking: 1, entered: 8, rounds: [NAMES, NAMES] });
  });

  for (const [how, index] of [['an import', MODULE], ['require', COMMON]] as const) {
    it(`is kept when the application uses OpenTelemetry by ${how}`, async () => {
      const { tracking, entered } = await seen({
        ...both("import 'tell';", '1'), [`${TELL}/package.json`]: index, [`${TELL}/index.js`]: index === MODULE ? "import '@opentelemetry/api';" : "require('@opentelemetry/api');",
        'steps/node_modules/@opentelemetry/api/package.json': '{ "name": "@opentelemetry/api" }', 'steps/node_modules/@opentelemetry/api/index.js': '',
      });
      expect({ tracking, entered }).to.deep.equal({ tracking: 1, entered: 8 });
    });
  }

  it('is kept for Steps whose loading nobody saw', async () => {
    expect(await seen({ 'steps/a.step.js': step('A', '', '1') }, 'adopt')).to.include({ tracking: 1, entered: 4 });
  });

  it(`comes with the ${ALWAYS ? 'first' : 'next'} invocation for code that only a running handler imports`, async () => {
    const { tracking, rounds } = await seen({
      'steps/a.step.js': step('A', '', "(await import('../src/late.js')).name()"),
      'src/late.js': "import { getContext } from 'treadle';\nexport const name = () => getContext().stepName;",
    });
    const first = ALWAYS ? ['A', 'A'] : [OUTSIDE, OUTSIDE];
    expect({ tracking, rounds }).to.deep.equal({ tracking: ALWAYS ? 1 : 0, rounds: [first, ['A', 'A']] });
  });
});

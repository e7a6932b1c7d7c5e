import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../architecture/workspace.js';
import { buildApplication } from '../support/built-application.js';
import { cleanEnvironment, cliProgram, EngineProcess, stopAllEngines, tells } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { requirePython } from '../support/require-python.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const WORKER = join(ROOT, 'core/worker/dist/treadle-worker.js');
const PYTHON_PATH = join(ROOT, 'plugins/runtime-python/python');
const YAML = (runtime: string): string => `engine: { implicit_modules: false }
modules:
  - { class: modules::http::HttpModule, config: { port: 0, max_event_loop_delay_ms: 60000 } }
  - { class: modules::steps::StepsModule, config: { port: false, runtimes: [{ class: modules::runtime::adapters::${runtime} }] } }
`;

/** Each setup writes down what becomes of it; `fail` beside the application keeps it from being opened. */
const NODE = {
  'steps/db.setup.ts': `
import { appendFileSync, existsSync } from 'node:fs';
import { setup } from 'treadle';
export default setup({
  open: async ({ env }) => {
    if (existsSync('fail')) throw new Error('no route to the database');
    appendFileSync('told', 'open one\\n');
    return { name: 'one', url: env.DATABASE_URL };
  },
  close: ({ name }) => appendFileSync('told', \`close \${name}\\n\`),
});
`,
  'steps/app.env.ts': 'import { env } from "treadle";\nexport default env({ type: "object", properties: { DATABASE_URL: { format: "uri" }, POOL: { type: "integer", default: 5 } }, required: ["DATABASE_URL"] });\n',
  'steps/read.step.ts': `
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { http, step } from 'treadle';
export default step({ name: 'Read', triggers: [http('GET', '/read')] }, async ({ query }, { setup, env }) => {
  if (query.until) writeFileSync('began', '');
  while (query.until && !existsSync(query.until)) await delay(20);
  return { status: 200, body: [setup.db.name, setup.db.url, env.POOL] };
});
`,
};

const PYTHON = {
  'steps/db_setup.py': `
import os


async def setup(context):
    if os.path.exists("fail"):
        raise ValueError("no route to the database")
    tell("open one")
    yield {"name": "one", "url": context.env["DATABASE_URL"]}
    tell("close one")


def tell(text):
    with open("told", "a") as file:
        file.write(text + "\\n")
`,
  'steps/app_env.py': 'env = {"type": "object", "properties": {"DATABASE_URL": {"format": "uri"}, "POOL": {"type": "integer", "default": 5}}, "required": ["DATABASE_URL"]}\n',
  'steps/read_step.py': `
import asyncio
import os

from treadle import http, step


async def read(input, ctx):
    until = input.query.get("until")
    if until:
        open("began", "w").close()
    while until and not os.path.exists(until):
        await asyncio.sleep(0.02)
    return {"status": 200, "body": [ctx.setup.db["name"], ctx.setup.db["url"], ctx.env["POOL"]]}


step({"name": "Read", "triggers": [http("GET", "/read")]}, read)
`,
};
const env = { DATABASE_URL: 'postgres://db' };
const ONE = ['one', 'postgres://db', 5];
const told = (cwd: string): string[] => readFileSync(join(cwd, 'told'), 'utf8').trim().split('\n');
const read = async (url: string, query = ''): Promise<unknown> => {
  const { status, json } = await request('GET', `${url}/read${query}`);
  return status === 200 ? json : status;
};

/** Begins a request that is answered once the file `go` exists. */
const slowRead = async (url: string, cwd: string): Promise<{ readonly answer: Promise<unknown> }> => {
  const answer = read(url, '?until=go');
  await waitUntil('the slow request', () => existsSync(join(cwd, 'began')));
  return { answer };
};
const go = (cwd: string): void => writeFileSync(join(cwd, 'go'), '');

for (const { runtime, files, setup } of [
  { runtime: 'Node', files: NODE, setup: 'steps/db.setup.ts' }, { runtime: 'InProcess', files: NODE, setup: 'steps/db.setup.ts' },
  { runtime: 'Python', files: PYTHON, setup: 'steps/db_setup.py' },
]) {
  describe(`files of setups, runtime ${runtime}`, function () {
    this.timeout(120_000);
    before(async function () {
      if (runtime === 'Python') await requirePython(this);
    });
    afterEach(stopAllEngines);
    const application = (more: Readonly<Record<string, string>> = {}): string => tempApplication({ ...files, ...more, 'config.yaml': YAML(runtime) });

    it('are opened once and closed after the last handler', async () => {
      const cwd = application();
      const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'], env });
      const url = await engine.ready();
      expect(await read(url)).to.deep.equal(ONE);
      const slow = await slowRead(url, cwd);
      const stopped = engine.stop();
      await waitUntil('the engine that drains', async () => (await request('GET', `${url}/health`).catch(() => undefined))?.status !== 200);
      go(cwd);
      expect((await stopped).code).to.equal(0);
      expect(await slow.answer).to.deep.equal(ONE);
      expect(told(cwd)).to.deep.equal(['open one', 'close one']);
    });

    it('have their time to be closed, also when it is longer than handlers get that do not end', async () => {
      const text = runtime === 'Python' ? PYTHON['steps/db_setup.py'].replace('    tell("close', '    await asyncio.sleep(3)\n    tell("close').replace('import os', 'import asyncio\nimport os')
        : NODE['steps/db.setup.ts'].replace('close: ({ name }) =>', 'close: async ({ name }) => await new Promise((resolve) => setTimeout(resolve, 3000)) ??');
      const cwd = application({ [setup]: text });
      const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'], env });
      await engine.ready();
      expect((await engine.stop()).code).to.equal(0);
      expect(told(cwd), engine.output).to.deep.equal(['open one', 'close one']);
    });

    if (runtime !== 'InProcess') {
      it('are named when they block their process, whose Steps answer 503 then', async () => {
        const blocking = runtime === 'Python' ? 'async def setup(context):\n    while True:\n        pass\n    yield\n'
          : 'import { setup } from "treadle";\nexport default setup({ open: async () => { for (;;) Math.random(); } });\n';
        const free = runtime === 'Python' ? 'from treadle import http, step\n\nstep({"name": "Free", "triggers": [http("GET", "/free")]}, lambda input, ctx: {"status": 200})\n'
          : 'import { http, step } from "treadle";\nexport default step({ name: "Free", triggers: [http("GET", "/free")] }, () => ({ status: 200 }));\n';
        const file = setup.replace('steps/', 'steps/in/');
        const read = runtime === 'Python' ? 'read_step.py' : 'read.step.ts';
        const cwd = tempApplication({
          'config.yaml': YAML(runtime), [file]: blocking, [`steps/${read.replace('read', 'free')}`]: free,
          [`steps/in/${read}`]: free.replace('Free', 'Read').replace('/free', '/read'),
        });
        const engine = new EngineProcess({ cwd, args: runtime === 'Python' ? ['dev', '--config', 'config.yaml'] : ['--config', 'config.yaml'], ...runtime === 'Python' && { program: cliProgram() } });
        const url = await engine.ready();
        await waitUntil('the other Steps', async () => (await request('GET', `${url}/free`)).status === 200);
        expect((await request('GET', `${url}/read`)).status).to.equal(503);
        await tells(engine, file, 'the setup ended its process while it was opened (unresponsive for 15 s)');
      });
    }

    it('are swapped in development: the new one is opened before the old one is closed', async () => {
      const cwd = application({ '.env': 'DATABASE_URL=postgres://file' });
      const engine = new EngineProcess({ cwd, program: cliProgram(), args: ['dev', '--config', 'config.yaml'], env });
      const url = await engine.ready();
      expect(await read(url)).to.deep.equal(ONE);
      const slow = await slowRead(url, cwd);
      const text = readFileSync(join(cwd, setup), 'utf8');
      writeFileSync(join(cwd, setup), text.replaceAll('one', 'two'));
      await waitUntil(`the new setup\n${engine.output}`, async () => (await read(url) as string[])[0] === 'two');
      expect(told(cwd)).to.deep.equal(['open one', 'open two']);
      go(cwd);
      expect(await slow.answer).to.deep.equal(ONE);
      await waitUntil('the end of the old one', () => told(cwd).length === 3);
      writeFileSync(join(cwd, 'fail'), '');
      writeFileSync(join(cwd, setup), text.replaceAll('one', 'three'));
      await waitUntil(`the fault\n${engine.output}`, () => engine.output.includes('STEP_SETUP_FAILED'));
      expect((await read(url) as string[])[0], 'the last good one serves').to.equal('two');
      await engine.stop('SIGINT');
      expect(told(cwd)).to.deep.equal(['open one', 'open two', 'close one', 'close two']);
    });

    it('that cannot be opened hold the Steps with 503, and are tried again', async () => {
      const cwd = application({ fail: '' });
      const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'], env });
      const url = await engine.ready();
      expect(await read(url)).to.equal(503);
      await tells(engine, 'STEP_SETUP_FAILED', 'no route to the database');
      unlinkSync(join(cwd, 'fail'));
      await waitUntil(`the setup\n${engine.output}`, async () => (await read(url)) !== 503);
      expect(await read(url)).to.deep.equal(ONE);
    });

    it('do not start without the variables that are declared', async () => {
      for (const program of [undefined, 'dev']) {
        const cwd = application();
        const engine = new EngineProcess({ cwd, ...program && { program: cliProgram() }, args: [...program ? [program] : [], '--config', 'config.yaml'], env: { POOL: 'many' } });
        expect((await engine.exit).code, engine.output).to.equal(78);
        expect(engine.output).to.match(/ENVIRONMENT_INVALID[^]*app[._]env\.\w+(:1)? {2}DATABASE_URL is not set; POOL must be an integer/);
      }
    });
  });
}

describe('a setup that ends its process', function () {
  this.timeout(120_000);
  afterEach(stopAllEngines);

  it('is disabled by name, and the Steps beside it serve', async () => {
    const step = (name: string): string => `import { http, step } from 'treadle';\nexport default step({ name: '${name}', triggers: [http('GET', '/${name}')] }, async () => ({ status: 200, body: '${name}' }));\n`;
    const cwd = tempApplication({
      'steps/in/db.setup.ts': 'export const open = async (): Promise<void> => { await new Promise((resolve) => setTimeout(resolve, 20)); process.exit(3); };\n',
      'steps/in/held.step.ts': step('held'), 'steps/free.step.ts': step('free'), 'config.yaml': YAML('Node'),
    });
    const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
    const url = await engine.ready();
    await waitUntil(`the free Step\n${engine.output}`, async () => (await request('GET', `${url}/free`)).status === 200);
    expect((await request('GET', `${url}/held`)).status).to.equal(503);
    await tells(engine, 'STEP_ENDS_PROCESS', 'steps/in/db.setup.ts');
  });
});

describe('declared variables', function () {
  this.timeout(120_000);
  afterEach(stopAllEngines);
  before(async function () {
    await requirePython(this);
  });

  for (const [runtime, files] of [['Node', NODE], ['Python', PYTHON]] as const) {
    it(`are read from .env files by the engine, and a worker that is started by hand refuses to begin without them: ${runtime}`, async () => {
      const cwd = tempApplication({ ...files, '.env': 'DATABASE_URL=postgres://first\nPOOL=7\n', '.env.production': 'DATABASE_URL=postgres://db\n', 'config.yaml': YAML(runtime) });
      const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'], env: { POOL: '5' } });
      expect(await read(await engine.ready())).to.deep.equal(ONE);
      const bare = tempApplication(files);
      const [command, args] = runtime === 'Node' ? [process.execPath, [WORKER, bare]] : ['python3', ['-m', 'treadle.worker', bare]];
      const { status, stderr } = spawnSync(command, args, { cwd: bare, encoding: 'utf8', env: { ...cleanEnvironment(), PYTHONPATH: PYTHON_PATH }, timeout: 60_000 });
      expect([status, /app[._]env\.\w+[^]*DATABASE_URL is not set/.test(stderr)], stderr).to.deep.equal([78, true]);
    });
  }
});

describe('files of setups in a build', function () {
  this.timeout(120_000);
  afterEach(stopAllEngines);
  before(async function () {
    await requirePython(this);
  });

  for (const [runtime, files] of [['Node', NODE], ['Python', PYTHON]] as const) {
    it(`are built without being opened, and opened by what was built: ${runtime}`, async () => {
      const cwd = tempApplication({ ...files, 'config.yaml': YAML(runtime) });
      buildApplication(cwd);
      expect(() => told(cwd)).to.throw('ENOENT');
      const engine = new EngineProcess({ cwd, program: cliProgram(), args: ['start', '--config', 'config.yaml'], env });
      expect(await read(await engine.ready())).to.deep.equal(ONE);
      await engine.stop();
      expect(told(cwd)).to.deep.equal(['open one', 'close one']);
    });
  }
});

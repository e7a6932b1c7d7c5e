import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { runtimeSuite, SECRET, type StepEngine } from '@treadle/testing';
import { configFile, failure, isAlive, makeApplication, request, startEngine, type StartOptions, stepFile, until } from './runtime.fixture.js';

const HELLO = stepFile('Hello', 'return { status: 200, body: { pid: process.pid } };');
const SLOW = stepFile('Slow', 'await new Promise((r) => setTimeout(r, 300)); return { status: 200, body: process.pid };');
const HANG = stepFile('Hang', 'await new Promise(() => setInterval(() => {}, 1000)); return { status: 200 };');
const EXIT = stepFile('Exit', 'process.reallyExit(0);');
const ENV = stepFile('Env', `return { status: 200, body: { pid: process.pid, cwd: process.cwd(), home: process.env.HOME,
  secrets: Object.values(process.env).filter((value) => value === '${SECRET}') } };`);
const FILES = {
  'steps/hello.step.ts': `process.stderr.write('loading\\n');\n${HELLO}`, 'steps/slow.step.ts': SLOW, 'steps/hang.step.ts': HANG,
  'steps/exit.step.ts': EXIT, 'steps/env.step.ts': ENV,
};
const node = (config: string): string => `{ port: 0, runtimes: [{ class: 'modules::runtime::adapters::Node', config: ${config} }] }`;

/** How long a call waits for a process that starts again; milliseconds. */
const RETURN_MS = 60_000;

describe('conformance', function conformance() {
  this.timeout(180_000);
  runtimeSuite({
    name: 'node',
    start: ({ only, workers = 1 }) => startEngine({ files: filesOf(only), config: node(`{ workers: ${workers} }`) }),
  });
});

const filesOf = (only?: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(FILES).filter(([file]) => !only || only.some((name) => file.includes(`/${name.toLowerCase()}.`))));

describe('the Node runtime', function runtime() {
  this.timeout(180_000);
  let test: StepEngine;
  const start = async (options: Partial<StartOptions> = {}): Promise<void> => {
    test = await startEngine({ files: FILES, ...options });
    await test.serving('Hello');
  };
  const elsewhere: string[] = [];
  afterEach(async () => {
    await test.stop();
    for (const folder of elsewhere.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  it('names an exhausted heap and keeps what the process said of it', async () => {
    const eat = stepFile('Eat', 'const all: unknown[] = []; for (;;) { all.push(new Array(1e5).fill(all.length)); if (all.length % 10 === 0) await null; }');
    await start({ files: { ...FILES, 'steps/eat.step.ts': eat }, config: node('{ max_old_space_mb: 64 }') });
    expect((await failure(test.invoke('Eat'))).code).to.equal('worker_lost');
    await until(() => test.port.crashes().length === 1);
    expect(test.port.crashes()[0]?.reason).to.equal('heap out of memory (signal SIGABRT)');
    expect(test.port.crashes()[0]?.output).to.match(/heap out of memory|Reached heap limit/);
    expect(await test.answer('Hello', { waitMs: RETURN_MS })).to.be.an('object');
  });

  it('kills a process whose handler blocks its event loop, long after the handler\'s time limit, while another one serves', async () => {
    await start({ files: { ...FILES, 'steps/block.step.ts': stepFile('Block', 'for (;;);') } });
    const [pid = 0] = test.pids;
    const blocking = failure(test.invoke('Block', { timeoutMs: 500 }));
    const innocent = test.answer('Hello', { timeoutMs: 60_000 });
    expect((await blocking).code).to.equal('handler_timeout');
    expect(await innocent).to.have.property('pid').that.is.not.equal(pid);
    await until(() => test.port.crashes().length === 1);
    expect(isAlive(pid)).to.equal(false);
    expect(await test.answer('Hello', { waitMs: RETURN_MS })).to.be.an('object');
  });

  it('keeps serving over a reload that changes its config: requests wait for the new workers', async () => {
    await start();
    const [pid = 0] = test.pids;
    await test.write('config.yaml', configFile(node('{ workers: 2 }')));
    let stop = false;
    const pids = new Set<unknown>();
    const load = Promise.all(Array.from({ length: 8 }, async () => {
      while (!stop) pids.add(await test.answer('Slow', { waitMs: RETURN_MS }));
    }));
    await until(() => test.engine.dispatch.invoker.running === 8);
    expect(await test.engine.reload(await test.plan())).to.deep.include({ errors: [], restarted: ['modules::steps::StepsModule'] });
    await test.serving('Hello', 2);
    await until(() => pids.size === 3);
    stop = true;
    await load;
    expect(pids.has(pid)).to.equal(true);
    expect(isAlive(pid)).to.equal(false);
  });

  for (const [when, more] of [['', {}], [' while a file that it loads loops for ever', { 'steps/loop.step.ts': 'for (;;);' }]] as const) it(`leaves no process behind when the engine is killed${when}`, async () => {
    await start();
    const root = await makeApplication({ files: { ...FILES, ...more } });
    elsewhere.push(root);
    const urls = Object.fromEntries(['@treadle/kernel', '@treadle/module-steps', '@treadle/runtime-node'].map((name) => [name, import.meta.resolve(name)]));
    const program = `
      const { Engine, planEngine } = await import(${JSON.stringify(urls['@treadle/kernel'])});
      const builtins = [(await import(${JSON.stringify(urls['@treadle/module-steps'])})).default, (await import(${JSON.stringify(urls['@treadle/runtime-node'])})).default];
      const { plan } = await planEngine({ configFile: 'config.yaml', cwd: ${JSON.stringify(root)}, env: process.env, builtins, engineVersion: '0.1.0' });
      const engine = new Engine({ plan, log: { write() {} }, engineVersion: '0.1.0' });
      await engine.start();
      const { StepsPort } = await import(${JSON.stringify(import.meta.resolve('@treadle/api'))});
      setInterval(() => { for (const w of engine.port(StepsPort).workers()) if (w.pid !== undefined) console.log(w.pid); }, 20);`;
    const engine = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(engine.stdout, 'data') as [Buffer];
    const worker = Number(line.toString().trim().split('\n')[0]);
    // By then it is in the loop.
    await wait(1_500);
    expect(isAlive(worker)).to.equal(true);
    engine.kill('SIGKILL');
    await until(() => !isAlive(worker));
  });

  it('serves Steps of a process that was started by hand', async () => {
    await start();
    const root = await makeApplication({ files: { 'steps/far.step.ts': stepFile('Far', 'return { status: 200, body: process.pid };') } });
    elsewhere.push(root);
    const program = `
      const { startWorker } = await import(${JSON.stringify(import.meta.resolve('@treadle/worker'))});
      await startWorker({ url: process.env.ENGINE_URL, token: process.env.ENGINE_TOKEN, esbuild: ${JSON.stringify(esbuildMain())} });`;
    const url = test.engine.addresses.get('worker-tcp') ?? '';
    const token = readFileSync(`${test.root}/data/worker.token`, 'utf8').trim();
    const remote = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: root, env: { ...process.env, ENGINE_URL: url, ENGINE_TOKEN: token }, stdio: ['ignore', 'inherit', 'inherit'],
    });
    try {
      await test.serving('Far');
      expect(await test.answer('Far')).to.equal(remote.pid);
      expect(await test.answer('Hello')).to.be.an('object');
    } finally {
      remote.kill('SIGKILL');
    }
    await until(() => test.engine.dispatch.invoker.servers('Far') === 0);
    expect((await failure(test.engine.dispatch.invoker.invoke(request('Far')))).code).to.equal('no_worker');
  });
});

function esbuildMain(): string {
  return import.meta.resolve('esbuild').replace('file://', '');
}

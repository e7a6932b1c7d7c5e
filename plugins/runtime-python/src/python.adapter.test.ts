import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { runtimeSuite, SECRET, type StepEngine } from '@treadle/testing';
import { failure, isAlive, startEngine, type StartOptions, stepFile, until } from './runtime.fixture.js';

const HELLO = stepFile('Hello', 'import os\nreturn {"status": 200, "body": {"pid": os.getpid()}}');
const SLOW = stepFile('Slow', 'import asyncio, os\nawait asyncio.sleep(0.3)\nreturn {"status": 200, "body": os.getpid()}');
const HANG = stepFile('Hang', 'import asyncio\nawait asyncio.sleep(1000)\nreturn {"status": 200}');
const EXIT = stepFile('Exit', 'import ctypes\nctypes.CDLL(None)._exit(0)');
const ENV = stepFile('Env', 'import os\nreturn {"status": 200, "body": {"pid": os.getpid(), "cwd": os.getcwd(), "home": os.environ.get("HOME"),\n'
  + `  "secrets": [value for value in os.environ.values() if value == "${SECRET}"]}}`);
const FILES = {
  'steps/hello_step.py': `import sys\nsys.stderr.write("loading\\n")\n${HELLO}`, 'steps/slow_step.py': SLOW, 'steps/hang_step.py': HANG,
  'steps/exit_step.py': EXIT, 'steps/env_step.py': ENV,
};
const python = (config: string): string => `{ port: 0, runtimes: [{ class: 'modules::runtime::adapters::Python', config: ${config} }] }`;

describe('conformance', function conformance() {
  this.timeout(180_000);
  runtimeSuite({
    name: 'python',
    start: ({ only, workers = 1 }) => startEngine({ files: filesOf(only), config: python(`{ workers: ${workers} }`) }),
  });
});

const filesOf = (only?: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(FILES).filter(([file]) => !only || only.some((name) => file.includes(`/${name.toLowerCase()}_`))));

describe('the Python runtime', function runtime() {
  this.timeout(180_000);
  let test: StepEngine;
  const start = async (options: Partial<StartOptions> = {}): Promise<void> => {
    test = await startEngine({ files: FILES, ...options });
    await test.serving('Hello');
  };
  afterEach(() => test.stop());

  it('is degraded in health while there are Steps and no interpreter, until one is found', async () => {
    test = await startEngine({ files: { 'steps/hello_step.py': HELLO }, config: python("{ python: './own-python' }"), mode: 'development' });
    const message = 'Python 3.10 or newer is needed; "python" names ./own-python, which does not exist; not served: steps/hello_step.py';
    await until(() => test.engine.health.report().status === 'degraded');
    expect(test.engine.health.report()).to.deep.equal({ status: 'degraded', checks: { 'modules::runtime::adapters::Python': { status: 'degraded', message } } });
    await writeFile(join(test.root, 'own-python'), '#!/bin/sh\nexec python3 "$@"\n', { mode: 0o755 });
    await writeFile(join(test.root, 'steps/hello_step.py'), `${HELLO}\n# saved again\n`);
    await test.serving('Hello');
    await until(() => test.engine.health.report().status === 'ok');
  });

  it('needs no interpreter any more once the last Python file is gone', async () => {
    test = await startEngine({ files: { 'steps/hello_step.py': HELLO }, config: python("{ python: './own-python' }"), mode: 'development' });
    await until(() => test.engine.health.report().status === 'degraded');
    await rm(join(test.root, 'steps/hello_step.py'));
    await until(() => test.engine.health.report().status === 'ok');
  });

  it('starts no process without a Python file', async () => {
    test = await startEngine({ files: { 'steps/readme.txt': '' } });
    expect(test.port.workers()).to.deep.equal([]);
    expect(test.engine.health.report().status).to.equal('ok');
  });

  it('kills a process whose coroutine blocks the event loop, long after its time limit, while another one serves', async () => {
    await start({ files: { ...FILES, 'steps/block_step.py': stepFile('Block', 'while True: pass') } });
    const [pid = 0] = test.pids;
    const blocking = failure(test.invoke('Block', { timeoutMs: 500 }));
    expect((await blocking).code).to.equal('handler_timeout');
    expect(await test.answer('Hello')).to.have.property('pid').that.is.not.equal(pid);
    await until(() => test.port.crashes().length === 1);
    expect(isAlive(pid)).to.equal(false);
  });

  for (const def of ['async def', 'def']) {
    it(`outlives a handler that ends it, but lets one that it forks end (${def})`, async () => {
      const code = 'import os\npid = os.fork()\nif pid == 0: os._exit(7)\nassert os.waitpid(pid, 0)[1] >> 8 == 7\nos._exit(0)';
      test = await startEngine({ files: { 'steps/hello_step.py': HELLO, 'steps/guarded_step.py': stepFile('Guarded', code, { def }) } });
      await test.serving('Hello');
      const { pids } = test;
      expect((await failure(test.invoke('Guarded'))).detail.errorName).to.equal('HandlerExit');
      await test.answer('Hello');
      expect([test.pids, test.port.crashes()]).to.deep.equal([pids, []]);
    });
  }

  it('goes on while a function in a thread computes without end', async () => {
    await start({ files: { ...FILES, 'steps/block_step.py': stepFile('Block', 'while True: pass', { def: 'def' }) } });
    expect((await failure(test.invoke('Block', { timeoutMs: 200 }))).code).to.equal('handler_timeout');
    expect(await test.answer('Hello')).to.be.an('object');
    expect(test.port.crashes()).to.deep.equal([]);
  });
});

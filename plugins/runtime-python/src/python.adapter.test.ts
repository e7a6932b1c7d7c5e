import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { StepEngine } from '@treadle/testing';
import { failure, isAlive, startEngine, type StartOptions, stepFile, until } from './runtime.fixture.js';

const HELLO = stepFile('Hello', 'import os\nreturn {"status": 200, "body": {"pid": os.getpid()}}');
const SLOW = stepFile('Slow', 'import asyncio, os\nawait asyncio.sleep(0.3)\nreturn {"status": 200, "body": os.getpid()}');
const HANG = stepFile('Hang', 'import asyncio\nawait asyncio.sleep(1000)\nreturn {"status": 200}');
const EXIT = stepFile('Exit', 'import os\nos._exit(0)');
const FILES = { 'steps/hello_step.py': HELLO, 'steps/slow_step.py': SLOW, 'steps/hang_step.py': HANG, 'steps/exit_step.py': EXIT };

describe('the Python runtime', function runtime() {
  this.timeout(60_000);
  let test: StepEngine;
  const start = async (options: Partial<StartOptions> = {}): Promise<void> => {
    test = await startEngine({ files: FILES, ...options });
    await test.serving('Hello');
  };
  const python = (config: string): string => `{ port: 0, runtimes: [{ class: 'modules::runtime::adapters::Python', config: ${config} }] }`;
  afterEach(() => test.stop());

  it('runs Steps in a process of its own, without the engine\'s secrets, in the folder of the application', async () => {
    process.env['ENGINE_TOKEN'] = process.env['ADMIN_TOKEN'] = 'a-secret-of-the-engine';
    const body = 'import os\nreturn {"status": 200, "body": {"pid": os.getpid(), "cwd": os.getcwd(), "home": os.environ.get("HOME"),\n'
      + '  "secrets": [v for v in os.environ.values() if v == "a-secret-of-the-engine"]}}';
    try {
      test = await startEngine({ files: { 'steps/env_step.py': stepFile('Env', body) } });
      await test.serving('Env');
    } finally {
      delete process.env['ENGINE_TOKEN'];
      delete process.env['ADMIN_TOKEN'];
    }
    const [pid] = test.pids;
    expect(await test.answer('Env')).to.deep.equal({ pid, cwd: test.root, home: process.env['HOME'], secrets: [] });
    expect(pid).to.not.equal(process.pid);
    expect(test.port.sessions()[0]).to.deep.include({ origin: 'child', runtime: 'python', pid, steps: ['Env'] });
  });

  it('is starting in health until its workers have registered, then ok', async () => {
    test = await startEngine({ files: FILES, config: python('{ workers: 2 }') });
    expect(test.engine.health.report()).to.deep.equal({ status: 'starting' });
    await test.serving('Hello', 2);
    await until(() => test.engine.health.report().status === 'ok');
  });

  it('is degraded in health while there are Steps and no interpreter, until one is found', async () => {
    test = await startEngine({ files: { 'steps/hello_step.py': HELLO }, config: python("{ python: './own-python' }"), mode: 'development' });
    const message = 'Python 3.10 or newer is needed; "python" names ./own-python, which does not exist';
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

  it('logs what a process prints outside of handlers', async () => {
    await start({ files: { ...FILES, 'steps/print_step.py': `import sys\nsys.stderr.write("loading\\n")\n${stepFile('Print', 'pass')}` } });
    await until(() => test.records.some((record) => record.message === 'loading' || record.fields?.['line'] === 'loading'));
  });

  for (const [name, how] of [['kill -9', 'SIGKILL'], ['abort', 'SIGABRT']] as const) {
    it(`survives ${name} under load: what runs fails within a second, the worker comes back`, async () => {
      await start();
      const [pid = 0] = test.pids;
      const running = Array.from({ length: 50 }, () => failure(test.invoke('Hang')));
      await until(() => test.engine.hub.running === 50);
      process.kill(pid, how);
      expect(new Set((await Promise.all(running)).map((error) => error.code))).to.deep.equal(new Set(['worker_lost']));
      expect(await test.answer('Hello', { waitMs: 5000 })).to.have.property('pid').that.is.not.equal(pid);
      const [crash] = test.port.crashes();
      expect(crash).to.deep.include({ runtime: 'python', worker: 0, pid, reason: `signal ${how}`, crashLooping: false, restartMs: 100 });
    });
  }

  it('counts os._exit(0) in a handler as a crash', async () => {
    await start();
    const other = failure(test.invoke('Hang'));
    expect((await failure(test.invoke('Exit'))).code).to.equal('worker_lost');
    expect((await other).code).to.equal('worker_lost');
    await until(() => test.port.crashes().length === 1);
    expect(test.port.crashes()[0]?.reason).to.equal('exit code 0');
    expect(await test.answer('Hello', { waitMs: 5000 })).to.be.an('object');
  });

  it('goes on with its second worker when one is killed', async () => {
    await start({ config: python('{ workers: 2 }') });
    await test.serving('Hello', 2);
    const [victim = 0, survivor] = test.pids;
    const running = Array.from({ length: 20 }, () => test.answer('Slow').catch((error: { code: string }) => error.code));
    await until(() => test.engine.hub.running === 20);
    process.kill(victim, 'SIGKILL');
    const outcomes = await Promise.all(running);
    expect(outcomes.filter((outcome) => outcome === 'worker_lost')).to.have.length(10);
    expect(outcomes.filter((outcome) => outcome === survivor)).to.have.length(10);
    await test.serving('Hello', 2);
  });

  it('finds a stopped process within 16 s, kills it and starts another', async () => {
    await start();
    const [pid = 0] = test.pids;
    const running = failure(test.invoke('Hang'));
    await until(() => test.engine.hub.running === 1);
    process.kill(pid, 'SIGSTOP');
    expect((await running).message).to.equal('the worker of Step "Hang" was lost: unresponsive for 15 s');
    expect(await test.answer('Hello', { waitMs: 5000 })).to.be.an('object');
    expect(isAlive(pid)).to.equal(false);
  });

  it('kills a process whose coroutine blocks the event loop, long after its time limit', async () => {
    await start({ files: { ...FILES, 'steps/block_step.py': stepFile('Block', 'while True: pass') } });
    const [pid = 0] = test.pids;
    const blocking = failure(test.invoke('Block', { timeoutMs: 500 }));
    expect((await blocking).code).to.equal('handler_timeout');
    expect((await failure(test.invoke('Hello'))).message).to.equal('the worker of Step "Hello" was lost: event loop blocked for 15 s');
    await until(() => test.port.crashes().length === 1);
    expect(isAlive(pid)).to.equal(false);
  });

  it('goes on while a function in a thread computes without end', async () => {
    await start({ files: { ...FILES, 'steps/block_step.py': stepFile('Block', 'while True: pass', { def: 'def' }) } });
    expect((await failure(test.invoke('Block', { timeoutMs: 200 }))).code).to.equal('handler_timeout');
    expect(await test.answer('Hello')).to.be.an('object');
    expect(test.port.crashes()).to.deep.equal([]);
  });

  it('lets running handlers finish when the engine stops, and leaves no process behind', async () => {
    await start();
    const [pid = 0] = test.pids;
    const { port } = test;
    const running = test.answer('Slow');
    await until(() => test.engine.hub.running === 1);
    const report = await test.engine.stop();
    expect(await running).to.equal(pid);
    expect(report.errors).to.deep.equal([]);
    expect(isAlive(pid)).to.equal(false);
    expect(port.workers()).to.deep.equal([]);
  });
});

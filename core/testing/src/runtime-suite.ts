import { expect } from 'chai';
import { type Runner, type Skip, Suite } from './runner.js';
import { isAlive, type StepEngine, stepFailure as failure, until } from './step-engine.js';

/** What a runtime that runs Steps in processes is tested with. */
export interface RuntimeTarget {
  /** Name of the runtime, e.g. `node`. */
  readonly name: string;
  /**
   * Starts an engine of an application in the runtime's language, in a fresh folder: with all of these Steps or `only` some, in one
   * process or as many as `workers` says. `Hello` answers `{ pid }`, `Slow` the pid after 300 ms, `Hang` never; `Exit` ends its process
   * with code 0; `Env` answers `{ pid, cwd, home, secrets }`, where `secrets` are the variables with the value `SECRET`. The file of `Hello`
   * writes the line `loading` to standard error when it is loaded.
   */
  start(options: { readonly only?: readonly string[]; readonly workers?: number }): Promise<StepEngine>;
  readonly skip?: readonly Skip[];
}

/** How long a call waits for a process that starts again; milliseconds. */
const RETURN_MS = 60_000;

/** Value of variables that no handler may see. */
export const SECRET = 'a-secret-of-the-engine';

/** What every runtime must do that runs Steps in processes: isolation, crashes, health, drain. Takes up to a minute. */
export function runtimeSuite(target: RuntimeTarget, runner: Runner = globalThis as unknown as Runner): void {
  runner.describe(`runtime ${target.name}`, () => {
    const suite = new Suite(runner, target.skip ?? []);
    addIsolationTests(suite, target);
    addCrashTests(suite, target);
    addHealthTests(suite, target);
    suite.checkSkips();
  });
}

type Options = Parameters<RuntimeTarget['start']>[0];

/** Runs the work with an engine whose Step `Hello` is served, and stops it whatever happens. */
const served = (target: RuntimeTarget, work: (test: StepEngine) => Promise<void>, options: Options = {}) => (): Promise<void> =>
  started(target, options, async (test) => {
    await test.serving('Hello', options.workers);
    await work(test);
  });

async function started(target: RuntimeTarget, options: Options, work: (test: StepEngine) => Promise<void>): Promise<void> {
  const test = await target.start(options);
  try {
    await work(test);
  } finally {
    await test.stop();
  }
}

function addIsolationTests(suite: Suite, target: RuntimeTarget): void {
  suite.test('runs Steps in a process of its own, without the engine\'s secrets, in the folder of the application', async () => {
    process.env['ENGINE_TOKEN'] = process.env['ADMIN_TOKEN'] = SECRET;
    try {
      await started(target, { only: ['Env'] }, async (test) => {
        await test.serving('Env');
        const [pid] = test.pids;
        expect(await test.answer('Env')).to.deep.equal({ pid, cwd: test.root, home: process.env['HOME'], secrets: [] });
        expect(pid).to.not.equal(process.pid);
        expect(test.port.sessions()).to.have.length(1);
        expect(test.port.sessions()[0]).to.deep.include({ origin: 'child', runtime: target.name, pid, steps: ['Env'] });
      });
    } finally {
      delete process.env['ENGINE_TOKEN'];
      delete process.env['ADMIN_TOKEN'];
    }
  });
  suite.test('logs what a process prints outside of handlers', served(target, (test) => until(() => test.records.some(
    (record) => record.message === 'loading' || record.fields?.['line'] === 'loading'))));
}

function addCrashTests(suite: Suite, target: RuntimeTarget): void {
  const { name: runtime } = target;
  for (const [name, how] of [['kill -9', 'SIGKILL'], ['abort', 'SIGABRT']] as const) {
    suite.test(`survives ${name} under load: what runs fails, the worker comes back`, served(target, async (test) => {
      const [pid = 0] = test.pids;
      const running = Array.from({ length: 50 }, () => failure(test.invoke('Hang')));
      await until(() => test.engine.dispatch.invoker.running === 50);
      process.kill(pid, how);
      // By the end of the process, that is, and not since nothing is heard of it.
      const failures = await Promise.all(running);
      expect(new Set(failures.map(({ code }) => code))).to.deep.equal(new Set(['worker_lost']));
      expect(failures.filter(({ message }) => message.includes('unresponsive'))).to.deep.equal([]);
      expect(await test.answer('Hello', { waitMs: RETURN_MS })).to.have.property('pid').that.is.not.equal(pid);
      expect(test.port.crashes()[0]).to.deep.include({ runtime, worker: 0, pid, reason: `signal ${how}`, crashLooping: false, restartMs: 100 });
    }));
  }
  suite.test('counts a handler that ends its process with code 0 as a crash', served(target, async (test) => {
    const other = failure(test.invoke('Hang'));
    expect((await failure(test.invoke('Exit'))).code).to.equal('worker_lost');
    expect((await other).code).to.equal('worker_lost');
    await until(() => test.port.crashes().length === 1);
    expect(test.port.crashes()[0]?.reason).to.equal('exit code 0');
    expect(await test.answer('Hello', { waitMs: RETURN_MS })).to.be.an('object');
  }));
  suite.test('goes on with its second worker when one is killed', served(target, (test) => losesOneOfTwo(test), { workers: 2 }));
  suite.test('finds a stopped process, kills it and starts another', served(target, isStopped));
}

async function losesOneOfTwo(test: StepEngine): Promise<void> {
  const [victim = 0, survivor] = test.pids;
  const running = Array.from({ length: 20 }, () => test.answer('Slow').catch((error: { code: string }) => error.code));
  await until(() => test.engine.dispatch.invoker.running === 20);
  process.kill(victim, 'SIGKILL');
  await until(() => test.port.crashes().length === 1);
  // Before another process is there.
  expect(await test.answer('Hello')).to.deep.equal({ pid: survivor });
  const outcomes = await Promise.all(running);
  expect(outcomes.filter((outcome) => outcome === 'worker_lost')).to.have.length(10);
  expect(outcomes.filter((outcome) => outcome === survivor)).to.have.length(10);
  await test.serving('Hello', 2);
}

async function isStopped(test: StepEngine): Promise<void> {
  const [pid = 0] = test.pids;
  const running = failure(test.invoke('Hang'));
  await until(() => test.engine.dispatch.invoker.running === 1);
  process.kill(pid, 'SIGSTOP');
  expect((await running).message).to.equal('the worker of Step "Hang" was lost: unresponsive for 15 s');
  await until(() => test.port.crashes().length === 1);
  expect(test.port.crashes()[0]?.reason).to.equal('unresponsive for 15 s');
  expect(await test.answer('Hello', { waitMs: RETURN_MS })).to.be.an('object');
  expect(isAlive(pid)).to.equal(false);
}

function addHealthTests(suite: Suite, target: RuntimeTarget): void {
  suite.test('is starting in health until its workers have registered, then ok', () => started(target, { workers: 2 }, async (test) => {
    expect(test.engine.health.report()).to.deep.equal({ status: 'starting' });
    await test.serving('Hello', 2);
    await until(() => test.engine.health.report().status === 'ok');
  }));
  suite.test('lets running handlers finish when the engine stops, and leaves no process behind', served(target, async (test) => {
    const [pid = 0] = test.pids;
    const { port } = test;
    const running = test.answer('Slow');
    await until(() => test.engine.dispatch.invoker.running === 1);
    const report = await test.engine.stop();
    expect(await running).to.equal(pid);
    expect(report.errors).to.deep.equal([]);
    expect(isAlive(pid)).to.equal(false);
    expect(port.workers()).to.deep.equal([]);
  }));
}

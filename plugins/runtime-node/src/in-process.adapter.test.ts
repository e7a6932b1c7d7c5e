import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { offerStrayError } from '@treadle/api';
import { expect } from 'chai';
import type { StepEngine } from '@treadle/testing';
import { failure, startEngine, type StartOptions, stepFile, until } from './runtime.fixture.js';

const CONFIG = "{ port: 0, runtimes: [{ class: 'modules::runtime::adapters::InProcess' }] }";

describe('the in-process runtime', () => {
  let test: StepEngine;
  const start = async (files: Readonly<Record<string, string>>, options: Partial<StartOptions> = {}): Promise<void> => {
    test = await startEngine({ files, config: CONFIG, ...options });
  };
  afterEach(() => test.stop());

  it('runs Steps in the engine and says what that gives up', async () => {
    await start({ 'steps/a.step.ts': stepFile('A', 'return { status: 200, body: process.pid };') });
    await test.serving('A');
    expect(await test.answer('A')).to.equal(process.pid);
    expect(test.port.sessions().map((session) => [session.origin, session.steps])).to.deep.equal([['in-process', ['A']]]);
    expect(test.port.workers()).to.deep.equal([{ worker: 0, pid: process.pid, state: 'ready', restarts: 0, settled: true, runtime: 'in-process' }]);
    expect(test.records.find((record) => record.level === 'warn')?.message).to.equal(
      'Steps run inside the engine: a handler that blocks or crashes stops everything, and a timeout cannot end it');
    expect(test.engine.health.report()).to.deep.equal({ status: 'ok' });
  });

  it('passes failures, cancellations, logs and operations on', async () => {
    await start({
      'steps/throw.step.ts': stepFile('Throw', "throw new TypeError('boom');"),
      'steps/exit.step.ts': stepFile('Exit', 'process.exit(0);'),
      'steps/wait.step.ts': stepFile('Wait', "await new Promise((r) => ctx.signal.addEventListener('abort', r)); ctx.logger.info('aborted');"),
      'steps/get.step.ts': stepFile('Get', "return { status: 200, body: await ctx.state.get('g', 'k') };"),
    });
    await test.serving('Throw');
    const thrown = await failure(test.invoke('Throw'));
    expect([thrown.code, thrown.message, thrown.detail.errorName]).to.deep.equal(['unhandled_exception', 'boom', 'TypeError']);
    expect((await failure(test.invoke('Exit'))).detail.errorName).to.equal('HandlerExit');
    expect((await failure(test.invoke('Wait', { timeoutMs: 50 }))).code).to.equal('handler_timeout');
    await until(() => test.messages().includes('aborted'));
    expect((await failure(test.invoke('Get'))).message).to.match(/modules::state::StateModule/);
  });

  it('streams bodies in and out', async () => {
    await start({ 'steps/echo.step.ts': `import { streamed } from 'treadle';\nimport { Readable } from 'node:stream';\n${stepFile('Echo', "return streamed(Readable.from([Buffer.from(String(input.body)), Buffer.from('!')]));")}` });
    await test.serving('Echo');
    const { http } = await test.invoke('Echo', {
      streams: [Readable.from([Buffer.from('he'), Buffer.from('llo')])],
      input: { method: 'GET', path: '/', headers: {}, body: { kind: 'stream', stream: 0, as: 'text' } },
    });
    expect(await text(http?.stream as Readable)).to.equal('hello!');
  });

  it('leaves a broken file out', async () => {
    await start({ 'steps/a.step.ts': stepFile('A', ''), 'steps/b.step.ts': 'export const x = ;' });
    await test.serving('A');
    expect(test.port.diagnostics().map((diagnostic) => diagnostic.code)).to.include('STEP_SYNTAX');
  });

  it('takes the errors that nobody caught of its Steps, and no others', async () => {
    const code = 'void Promise.reject(new Error("stray")); return { status: 200, body: "answered" };';
    await start({ 'steps/a.step.ts': stepFile('A', code) });
    await test.serving('A');
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    const taken: boolean[] = [];
    process.on('unhandledRejection', (reason) => taken.push(offerStrayError(reason, 'unhandledRejection')));
    try {
      expect(await test.answer('A')).to.equal('answered');
      await until(() => taken.length > 0);
    } finally {
      process.removeAllListeners('unhandledRejection');
      for (const listener of listeners) process.on('unhandledRejection', listener);
    }
    expect(taken).to.deep.equal([true]);
    expect(test.messages()).to.include('a promise was rejected and nobody handled it');
    const bug = new Error('of the engine');
    bug.stack = `Error: of the engine\n    at work (${fileURLToPath(import.meta.resolve('@treadle/worker'))}:1:1)`;
    expect(offerStrayError(bug, 'uncaughtException')).to.equal(false);
  });

  it('gives way to a process of its own in development, and says so', async () => {
    await start({ 'steps/a.step.ts': stepFile('A', 'return { status: 200, body: process.pid };') }, { mode: 'development' });
    await test.serving('A');
    expect(await test.answer('A')).to.equal(test.pids[0]).and.not.equal(process.pid);
    expect(test.messages()).to.include('development mode runs Steps in a process of their own instead of the engine');
  });

  it('may not serve the same files as another runtime', async () => {
    const config = "{ port: 0, runtimes: [{ class: 'modules::runtime::adapters::Node' }, { class: 'modules::runtime::adapters::InProcess' }] }";
    await start({});
    const error = await failure(startEngine({ files: {}, config }));
    expect(error.message).to.match(/config\.runtimes\[1\]: typescript is served by modules::runtime::adapters::Node at modules\[0\]\.config\.runtimes\[0\] already$/);
  });
});

import { spawnSync } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import type { RuntimeAdapter, RuntimeHost, StepFile, TreadleError } from '@treadle/api';
import { formatDiagnostic } from './index.js';
import { failure, request, type StartOptions, TestSteps, until } from './steps.fixture.js';

/** A runtime without processes: notes what it is asked. */
class FakeRuntime implements RuntimeAdapter {
  host: RuntimeHost | undefined;
  readonly asked: (readonly StepFile[])[] = [];
  settled = false;
  looping = false;
  constructor(readonly name: string, private readonly pattern: RegExp) {}
  serves(file: string): boolean { return this.pattern.test(file); }
  launch(host: RuntimeHost, files: readonly StepFile[]): Promise<void> {
    this.host = host;
    this.asked.push(files);
    return Promise.resolve();
  }
  update(files: readonly StepFile[]): void { this.asked.push(files); }
  workers() {
    return [{ worker: 0, state: this.looping ? 'crash_looping' as const : 'ready' as const, restarts: 0, settled: this.settled }];
  }
}

describe('StepsModule', () => {
  let steps: TestSteps;
  const start = async (options: StartOptions = {}): Promise<void> => { steps = await TestSteps.start(options); };
  afterEach(() => steps.stop());
  const ids = (): string[] => steps.dispatch.catalog.steps().map((step) => step.id);

  describe('keeps a catalog', () => {
    beforeEach(() => start());

    it('of the Steps of all processes that are connected', async () => {
      await steps.worker({ A: '/a' }, { application: 'one' });
      await steps.worker({ B: '/b' }, { application: 'two' });
      expect(ids()).to.deep.equal(['A', 'B']);
      expect(steps.module.sessions().map((session) => [session.origin, session.application, session.steps])).to.deep.equal([
        ['remote', 'one', ['A']], ['remote', 'two', ['B']],
      ]);
    });

    it('in which declarations of streams are no Steps', async () => {
      const worker = await steps.worker({ A: '/a' });
      const board = { file: 'src/board.stream.ts', steps: [{ role: 'stream', config: { name: 'board' } }] };
      worker.send({ type: 'register', complete: true, reports: [{ file: 'steps/A.step.ts', steps: [{ config: { name: 'A', triggers: [] } }] }, board] });
      await until(() => steps.dispatch.invoker.servers('stream:board') === 1);
      expect(steps.module.steps().map(({ id }) => id)).to.deep.equal(['A']);
      expect(steps.module.sessions().map((session) => session.steps)).to.deep.equal([['A']]);
      expect(steps.logged.filter(({ message }) => message === 'catalog changed').at(-1)?.fields).to.include({ steps: 1, streams: 1 });
    });

    it('in which several workers serve one Step and the last one that leaves takes only the service', async () => {
      const one = await steps.worker({ A: '/a' });
      const two = await steps.worker({ A: '/a' });
      await until(() => steps.dispatch.invoker.servers('A') === 2);
      one.socket.close();
      await until(() => steps.dispatch.invoker.servers('A') === 1);
      two.socket.close();
      await until(() => steps.dispatch.invoker.servers('A') === 0);
      expect(ids()).to.deep.equal(['A']);
      expect((await failure(steps.dispatch.invoker.invoke(request()))).code).to.equal('no_worker');
    });

    it('which is not made anew when the next process brings what is known', async () => {
      const one = await steps.worker({ A: '/a', B: '/b' }, { application: 'app' });
      let published = 0;
      const publish = steps.dispatch.catalog.publish.bind(steps.dispatch.catalog);
      steps.dispatch.catalog.publish = (records) => {
        published += 1;
        return publish(records);
      };
      one.socket.close();
      await until(() => steps.dispatch.invoker.servers('A') === 0);
      const two = await steps.worker({ A: '/a', B: '/b' }, { application: 'app' });
      expect(published).to.equal(0);
      two.register({ A: '/a' });
      await until(() => steps.dispatch.invoker.servers('B') === 0);
      expect([published, ids()]).to.deep.equal([1, ['A']]);
    });

    it('in which a Step that a new version of an application lacks lives as long as the old version', async () => {
      const old = await steps.worker({ A: '/a', B: '/b' }, { application: 'app' });
      const now = await steps.worker({ A: '/a' }, { application: 'app' });
      expect(ids()).to.deep.equal(['A', 'B']);
      old.socket.close();
      await until(() => ids().length === 1);
      now.socket.close();
      await until(() => steps.dispatch.invoker.servers('A') === 0);
      expect(ids()).to.deep.equal(['A']);
    });

    it('in which the latest registration of a Step counts', async () => {
      const worker = await steps.worker({ A: '/a' });
      worker.register({ A: '/other' });
      await until(() => steps.dispatch.catalog.step('A')?.config.triggers[0]?.['path'] === '/other');
    });

    it('in which of two Steps of one name the one that serves goes on, and the other is not served', async () => {
      await steps.worker({ A: '/z' }, { application: 'one' });
      const second = await steps.connect();
      await second.hello(await steps.token(), { application: 'two' });
      second.register({ A: '/a' }, () => 'steps/0.step.ts');
      await until(() => steps.module.diagnostics().length === 1);
      expect(steps.module.diagnostics().map(formatDiagnostic)).to.deep.equal([
        'steps/0.step.ts:1  error  STEP_DUPLICATE_NAME  config.name: Step "A" exists already in steps/A.step.ts:1\n    hint: give one of them another name',
      ]);
      expect(steps.dispatch.catalog.step('A')?.file).to.equal('steps/A.step.ts');
      expect(steps.dispatch.invoker.servers('A')).to.equal(1);
    });

    it('and logs each problem once, and that all is well again', async () => {
      const worker = await steps.worker({ A: '/a', B: '/b' });
      worker.register({ A: '/a', B: '/a' });
      worker.register({ A: '/a', B: '/a' });
      worker.register({ A: '/a', B: '/c' });
      await until(() => steps.logged.some((line) => line.message === 'no Step has a problem any more'));
      expect(steps.logged.filter((line) => line.message === 'a Step has a problem').map((line) => line.fields)).to.deep.equal([{
        at: 'steps/B.step.ts:1', code: 'STEP_DUPLICATE_TRIGGER', remedy: 'change or remove one of the two triggers',
        problem: 'config.triggers[0]: GET /a is served already by Step "A" in steps/A.step.ts:1',
      }]);
    });
  });

  it('ends the session of a process that answers no ping', async function slow() {
    this.timeout(120_000);
    await start();
    const worker = await steps.worker({ A: '/a' });
    const lost = failure(steps.dispatch.invoker.invoke(request({ timeoutMs: 60_000 })));
    worker.socket.pause();
    const began = performance.now();
    expect((await lost).message).to.equal('the worker of Step "A" was lost: unresponsive for 15 s');
    expect(performance.now() - began).to.be.at.least(14_000);
    worker.socket.terminate();
  });

  describe('drains', () => {
    it('by waiting for what runs, then letting remote processes go', async () => {
      await start();
      const worker = await steps.worker({ A: '/a' });
      const answer = steps.dispatch.invoker.invoke(request());
      const { id } = await worker.next('invoke');
      let done = false;
      const draining = steps.module.drain({ log: undefined as never, deadline: 0, signal: new AbortController().signal }).then(() => { done = true; });
      await new Promise((resolve) => { setTimeout(resolve, 50); });
      expect(done).to.equal(false);
      worker.send({ type: 'result', id });
      await answer;
      await draining;
      expect(await worker.next('drain')).to.deep.equal({ type: 'drain', deadlineMs: 2000 });
      const late = await steps.connect();
      late.send({ type: 'hello', role: 'main', protocol: 1, runtime: 'node', runtimeVersion: 'v0', sdkVersion: '0', pid: 1, token: await steps.token() });
      expect((await late.next('refused')).code).to.equal('draining');
    });

    it('no longer than until its deadline', async () => {
      await start();
      await steps.worker({ A: '/a' });
      void steps.dispatch.invoker.invoke(request()).catch(() => undefined);
      await steps.module.drain({ log: undefined as never, deadline: 0, signal: AbortSignal.timeout(50) });
      expect(steps.dispatch.invoker.running).to.equal(1);
    });
  });

  describe('refuses at start', () => {
    const refused = async (options: StartOptions): Promise<TreadleError> => {
      await start();
      return await failure(TestSteps.start(options)) as TreadleError;
    };

    it('a port that is taken, naming the setting', async () => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      const error = await refused({ config: { port } });
      other.close();
      expect([error.code, error.message, error.hint]).to.deep.equal([
        'ADDRESS_IN_USE', `address 127.0.0.1:${port} is already in use`, 'free it or change modules[0].config.port',
      ]);
    });

    it('an address of other machines without a token of the operator\'s choice', async () => {
      const error = await refused({ config: { host: '0.0.0.0' } });
      expect([error.code, error.message, error.hint]).to.deep.equal(['CONFIG_CONFLICT',
        'modules[0].config.host: "0.0.0.0" is reachable from other machines, so Step processes need a token of your choice', 'set ENGINE_TOKEN']);
      const short = await refused({ config: { host: '0.0.0.0', token: 'short' } });
      expect([short.code, short.message]).to.deep.equal(['CONFIG_CONFLICT',
        'modules[0].config.host: "0.0.0.0" is reachable from other machines, and the token has 5 characters; 16 are the least']);
      await (await TestSteps.start({ config: { host: '0.0.0.0', token: 'a-token-of-my-own' } })).stop();
    });

    it('two runtimes for one file', async () => {
      const error = await refused({ runtimes: [new FakeRuntime('one', /\.ts$/), new FakeRuntime('two', /step\.ts$/)] });
      expect([error.code, error.message]).to.deep.equal(['CONFIG_CONFLICT',
        'modules[0].config.runtimes: the runtimes "one" and "two" both serve steps/sample.step.ts']);
    });
  });

  it('listens on no port with `port: false`', async () => {
    await start({ config: { port: false } });
    expect([...steps.announced.keys()]).to.deep.equal(['worker']);
  });

  it('puts the socket in the temp folder when its path would be too long or hard to write as a URL', async () => {
    for (const dataDir of ['d'.repeat(100), 'with space', 'with:colon']) {
      if (steps) await steps.stop();
      await start({ dataDir });
      expect(steps.announced.get('worker')).to.match(/^ws\+unix:\/tmp\/treadle-\w+\/worker\.sock:\/$/);
      await (await steps.connect('worker')).hello(await steps.token());
    }
  });

  it('replaces the socket that a dead engine left behind', async () => {
    const dead = "require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))";
    await start({ before: (dataDir) => void spawnSync(process.execPath, ['-e', dead, `${dataDir}/worker.sock`]) });
    expect(steps.announced.get('worker')).to.equal(`ws+unix:${steps.dataDir}/worker.sock:/`);
    await (await steps.connect('worker')).hello(await steps.token());
  });

  describe('gives runtimes', () => {
    const files = { 'steps/a.step.ts': 'a', 'src/deep/b.step.js': 'b', 'steps/c_step.py': 'c', 'steps/s.stream.ts': 's', 'steps/s_stream.py': 's', 'steps/node_modules/x.step.ts': 'x' };

    it('the Step files that they serve, and names those that nobody serves', async () => {
      const node = new FakeRuntime('node', /\.[tj]s$/);
      await start({ runtimes: [node], files });
      expect(node.asked.map((list) => list.map((file) => file.file))).to.deep.equal([['src/deep/b.step.js', 'steps/a.step.ts', 'steps/s.stream.ts']]);
      expect(steps.module.diagnostics().map(formatDiagnostic)).to.deep.equal([
        'steps/c_step.py:1  error  STEP_NO_RUNTIME  no runtime of this config serves this file\n'
        + '    hint: add modules::runtime::adapters::Python to "runtimes" of modules::steps::StepsModule',
        'steps/s_stream.py:1  error  STEP_NO_RUNTIME  no runtime of this config serves this file\n'
        + '    hint: add modules::runtime::adapters::Python to "runtimes" of modules::steps::StepsModule']);
    });

    it('no file that only looks like a Step: it is told, once, also when it appears in development', async () => {
      const node = new FakeRuntime('node', /\.ts$/);
      const step = 'export const config = { name: "A", triggers: [] };';
      await start({ runtimes: [node], mode: 'development', files: { 'steps/a.step.ts': step, 'steps/b_step.ts': step } });
      const overlooked = (): readonly string[] => steps.module.diagnostics().filter(({ code }) => code === 'STEP_FILE_OVERLOOKED').map(({ file, remedy }) => `${file}: ${remedy}`);
      expect(overlooked()).to.deep.equal(['steps/b_step.ts: call it b.step.ts']);
      await steps.write('steps/c.steps.ts', step);
      await until(() => overlooked().length === 2);
      expect(overlooked()[1]).to.equal('steps/c.steps.ts: call it c.step.ts');
      expect(steps.logged.filter(({ fields }) => fields?.['code'] === 'STEP_FILE_OVERLOOKED').map(({ level, fields }) => [level, fields?.['at']])).to.deep.equal([
        ['warn', 'steps/b_step.ts'], ['warn', 'steps/c.steps.ts'],
      ]);
      expect(node.asked).to.have.length(1);
    });

    it('nothing with `discover: false`, nor when there are no files', async () => {
      const node = new FakeRuntime('node', /./);
      await start({ runtimes: [node], files, config: { discover: false } });
      await steps.stop();
      await start({ runtimes: [node] });
      expect(node.asked).to.deep.equal([]);
      expect(steps.health).to.deep.equal(['ok']);
    });

    it('a place in health: starting, ok, degraded', async () => {
      const node = new FakeRuntime('node', /\.ts$/);
      await start({ runtimes: [node], files: { 'steps/a.step.ts': 'a' } });
      node.settled = true;
      node.host?.statusChanged();
      node.looping = true;
      node.host?.reportCrash({ runtime: 'node', worker: 0, reason: 'exit code 1', output: 'oops\n', crashLooping: true, restartMs: 30_000 });
      node.looping = false;
      node.host?.statusChanged();
      expect(steps.health).to.deep.equal(['starting', 'ok', 'degraded: node worker 0 crashes again and again: exit code 1', 'ok']);
      expect(steps.module.crashes()).to.have.length(1);
      expect(steps.logged.find((line) => line.message === 'a worker ended')?.fields).to.deep.include({ reason: 'exit code 1', output: 'oops' });
    });
  });
});

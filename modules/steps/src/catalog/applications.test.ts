import { expect } from 'chai';
import type { RuntimeAdapter, RuntimeHost, RuntimeSession, RuntimeSessionHost, StepFile } from '@treadle/api';
import { formatDiagnostic } from '../index.js';
import { type StartOptions, TestSteps, type TestWorker, until } from '../steps.fixture.js';

/** A runtime of this process that says what the test tells it to. */
class TalkingRuntime implements RuntimeAdapter {
  readonly name = 'talking';
  files: readonly StepFile[] = [];
  private joined: RuntimeSessionHost | undefined;
  serves(): boolean { return true; }
  launch(host: RuntimeHost, files: readonly StepFile[]): Promise<void> {
    const session: RuntimeSession = {
      id: 's', runtime: 'talking', version: '', send: () => undefined, cancel: () => undefined, load: () => undefined, drain: () => undefined,
    };
    this.joined = host.join(session);
    this.update(files);
    return Promise.resolve();
  }
  update(files: readonly StepFile[]): void { this.files = files; }
  workers() { return []; }
  /** Reports files as they are, each with one Step that is named like its file. */
  report(config: object = {}, isMeant: (file: StepFile) => boolean = () => true): void {
    this.joined?.reports(this.files.filter(isMeant).map(({ file, version }) => ({
      file, version, steps: [{ config: { name: /\/(\w+)\.step/.exec(file)?.[1], triggers: [], ...config } }],
    })));
  }
}

describe('applications and their builds', () => {
  let steps: TestSteps;
  const start = async (options: StartOptions = {}): Promise<void> => { steps = await TestSteps.start({ ...options, config: { discover: false, ...options.config } }); };
  afterEach(() => steps.stop());

  const build = (name: string | undefined, application = 'app'): object => ({ application, ...(name !== undefined && { build: name }) });
  /** `name: ids`, with an exclamation mark when it is complete. */
  const known = (): string[] => steps.module.applications()
    .map(({ application, steps: ids, complete }) => `${application}${complete ? '!' : ''}: ${ids.map(({ id }) => id).join(' ')}`);
  const becomes = (...expected: string[]): Promise<void> => until(() => JSON.stringify(known()) === JSON.stringify(expected));
  const attach = (ids: Readonly<Record<string, string>>, hello: object): Promise<TestWorker> => steps.worker(ids, hello);

  describe('of processes that others started', () => {
    beforeEach(() => start());

    it('are complete when all processes of the one build brought all of it', async () => {
      await attach({ A: '/a' }, build('1'));
      expect(known()).to.deep.equal(['test: ', 'app!: A']);
      const part = await attach({ A: '/a' }, build('1'));
      part.send({ type: 'register', reports: [], complete: false });
      await until(() => steps.dispatch.invoker.servers('A') === 1);
      expect(known()).to.deep.equal(['test: ', 'app!: A']);
    });

    it('have what one of their processes tells of another, served by nobody until that one is here', async () => {
      const step = (name: string, enqueues: readonly string[] = []): object => ({ config: { name, triggers: [{ type: 'http', method: 'GET', path: `/${name}` }], enqueues } });
      const elsewhere = { file: 'steps/b_step.py', elsewhere: true, steps: [step('B')] };
      const node = await attach({ A: '/A' }, build('1'));
      node.send({ type: 'register', complete: true, reports: [{ file: 'steps/A.step.ts', steps: [step('A')] }, elsewhere] });
      await becomes('test: ', 'app!: A B');
      expect([steps.dispatch.invoker.servers('A'), steps.dispatch.invoker.servers('B')]).to.deep.equal([1, 0]);
      const python = await attach({}, { ...build('1'), runtime: 'python' });
      const own = { file: 'steps/b_step.py', steps: [step('B', ['own'])] };
      python.send({ type: 'register', complete: true, reports: [own, { file: 'steps/A.step.ts', elsewhere: true, steps: [step('A')] }] });
      await until(() => steps.dispatch.catalog.step('B')?.config.enqueues?.[0] === 'own');
      // What is said of it elsewhere, though later, does not count while its own process says it.
      node.send({ type: 'register', complete: true, reports: [{ file: 'steps/A.step.ts', steps: [step('A', ['later'])] }, elsewhere] });
      await until(() => steps.dispatch.catalog.step('A')?.config.enqueues?.[0] === 'later');
      expect(steps.dispatch.catalog.step('B')?.config.enqueues).to.deep.equal(['own']);
      expect([steps.dispatch.invoker.servers('A'), steps.dispatch.invoker.servers('B'), known().at(-1)]).to.deep.equal([1, 1, 'app!: A B']);
      expect(steps.module.diagnostics().filter(({ severity }) => severity === 'error')).to.deep.equal([]);
    });

    it('are never complete without a build, nor with a fault', async () => {
      await attach({ A: '/a' }, build(undefined));
      const worker = await attach({ B: '/b' }, build('1', 'other'));
      await becomes('test: ', 'app: A', 'other!: B');
      const faulty = { file: 'f', steps: [{ config: { name: 'C', triggers: [{ type: 'htpp' }] } }] };
      worker.send({ type: 'register', complete: true, reports: [{ file: 'steps/B.step.ts', steps: [{ config: { name: 'B', triggers: [] } }] }, faulty] });
      await becomes('test: ', 'app: A', 'other: B');
    });

    it('have the Steps of all builds while several are attached, and those of the newest afterwards', async () => {
      const old = await attach({ A: '/a', Old: '/old' }, build('1'));
      await attach({ A: '/a', New: '/new' }, build('2'));
      await becomes('test: ', 'app: A New Old');
      expect(['A', 'Old', 'New'].map((id) => steps.dispatch.invoker.servers(id))).to.deep.equal([2, 1, 1]);
      old.socket.close();
      await becomes('test: ', 'app!: A New');
    });

    it('tell when they become complete although no Step has changed', async () => {
      const old = await attach({ A: '/a' }, build('1'));
      await attach({ A: '/a' }, build('2'));
      await until(() => steps.dispatch.invoker.servers('A') === 2);
      const told: string[][] = [];
      steps.module.onChange(() => void told.push(known()));
      old.socket.close();
      await until(() => told.length > 0);
      expect(told).to.deep.equal([['test: ', 'app!: A']]);
    });

    it('take the config of the newest build, and let an old one serve as long as it has the same triggers', async () => {
      await attach({ A: '/a' }, build('1'));
      const other = await steps.connect();
      await other.hello(await steps.token(), build('2'));
      const config = { name: 'A', triggers: [{ type: 'http', method: 'GET', path: '/a' }, { type: 'queue', topic: 't' }] };
      other.send({ type: 'register', complete: true, reports: [{ file: 'steps/A.step.ts', steps: [{ config }] }] });
      await until(() => steps.dispatch.catalog.step('A')?.config.triggers.length === 2);
      expect(steps.dispatch.invoker.servers('A')).to.equal(1);
      other.socket.close();
      await until(() => steps.dispatch.invoker.servers('A') === 0);
    });

    it('may move a Step to another file, and give its route to another Step, from build to build', async () => {
      const old = await attach({ A: '/a', Old: '/x' }, build('1'));
      const now = await steps.connect();
      await now.hello(await steps.token(), build('2'));
      now.register({ A: '/a', New: '/x' }, (id) => `src/${id}.step.ts`);
      await until(() => steps.dispatch.invoker.servers('New') === 1);
      expect(steps.module.diagnostics()).to.deep.equal([]);
      expect([steps.dispatch.catalog.step('A')?.file, steps.dispatch.invoker.servers('A'), steps.dispatch.catalog.step('Old')]).to.deep.equal(['src/A.step.ts', 2, undefined]);
      old.socket.close();
      await becomes('test: ', 'app!: A New');
    });

    it('collide when two of them have a Step of one name, also in files of one name', async () => {
      await attach({ A: '/a' }, build('1'));
      const other = await steps.connect();
      await other.hello(await steps.token(), build('1', 'other'));
      other.register({ A: '/b' });
      await until(() => steps.module.diagnostics().length === 1);
      expect(steps.module.diagnostics().map(formatDiagnostic)[0]).to.match(/STEP_DUPLICATE_NAME/);
      expect(steps.dispatch.invoker.servers('A')).to.equal(1);
      expect(known()).to.deep.equal(['test: ', 'app!: A', 'other: ']);
    });

    it('keep their Steps when all processes have left', async () => {
      const worker = await attach({ A: '/a' }, build('1'));
      worker.send({ type: 'register', reports: [], complete: false });
      await until(() => steps.dispatch.invoker.servers('A') === 0);
      worker.socket.close();
      await until(() => steps.module.sessions().length === 0);
      expect(known()).to.deep.equal(['test: ', 'app!: A']);
    });

    it('let a process that leaves by itself know when nothing more is sent to it', async () => {
      const worker = await attach({ A: '/a' }, build('1'));
      worker.send({ type: 'register', reports: [], complete: false });
      await worker.next('drain');
      expect(steps.dispatch.invoker.servers('A')).to.equal(0);
    });

    it('are not complete once the engine lets its processes go', async () => {
      await attach({ A: '/a' }, build('1'));
      await steps.module.drain({ log: undefined as never, deadline: 0, signal: AbortSignal.timeout(50) });
      expect(known()).to.deep.equal(['test: ', 'app: A']);
    });
  });

  describe('of the engine itself', () => {
    const files = { 'steps/A.step.ts': '1', 'steps/B.step.ts': '1' };
    let runtime: TalkingRuntime;
    const own = (options: StartOptions): Promise<void> => {
      runtime = new TalkingRuntime();
      return start({ runtimes: [runtime], files, ...options, config: { discover: true } });
    };

    it('are complete in development once every file was reported as it is', async () => {
      await own({ mode: 'development' });
      expect(known()).to.deep.equal(['test: ']);
      runtime.report();
      expect(known()).to.deep.equal(['test!: A B']);
      await steps.write('steps/C.step.ts', '1');
      await until(() => runtime.files.length === 3);
      expect(known()).to.deep.equal(['test: A B']);
      runtime.report();
      expect(known()).to.deep.equal(['test!: A B C']);
    });

    it('are not complete in development while a Step is faulty, and go on with it', async () => {
      await own({ mode: 'development' });
      runtime.report();
      await steps.write('steps/A.step.ts', '2');
      await until(() => runtime.files.some(({ version }, index) => index === 0 && version !== runtime.files[1]?.version));
      runtime.report({ flow: [] });
      expect(known()).to.deep.equal(['test: A B']);
    });

    it('collide by path, whichever was reported first when the engine started; later the one that serves goes on', async () => {
      await own({ mode: 'development' });
      runtime.report({ name: 'Same' }, ({ file }) => file === 'steps/B.step.ts');
      expect(steps.dispatch.catalog.step('Same')?.file).to.equal('steps/B.step.ts');
      runtime.report({ name: 'Same' }, ({ file }) => file === 'steps/A.step.ts');
      expect(steps.dispatch.catalog.step('Same')?.file).to.equal('steps/A.step.ts');
      await steps.write('steps/0.step.ts', '1');
      await until(() => runtime.files.length === 3);
      runtime.report({ name: 'Same' });
      expect(steps.dispatch.catalog.step('Same')?.file).to.equal('steps/A.step.ts');
    });

    it('are complete in production with a lock file alone', async () => {
      await own({});
      runtime.report();
      expect(known()).to.deep.equal(['test: A B']);
      await steps.stop();
      await own({ files: { ...files, 'treadle.lock.json': '{ "name": "test", "build": "1" }' } });
      runtime.report();
      expect(known()).to.deep.equal(['test!: A B']);
      await attach({ A: '/a' }, build('2', 'test'));
      await becomes('test: A B');
    });
  });
});

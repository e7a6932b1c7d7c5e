import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { offerStrayError } from '@treadle/api';
import { expect } from 'chai';
import { http, queue, step, type Step } from 'treadle';
import { createTestEngine, type TestEngine, type TestEngineOptions } from './index.js';
import { failure, KitBench, steps } from './kit/kit-bench.fixture.js';

describe('a test engine', function () {
  this.timeout(180_000);
  const bench = new KitBench();
  const start = (options: TestEngineOptions): Promise<TestEngine> => bench.start(options);
  afterEach(() => bench.end());

  it('takes no error that nobody caught once it is stopped', async () => {
    const app = await start({ steps: steps(step({ name: 'A', triggers: [http('GET', '/a')] }, async () => Promise.resolve({ status: 200 }))) });
    const foreign = Object.assign(new Error('not of a Step'), { stack: '' });
    expect(offerStrayError(foreign, 'uncaughtException')).to.equal(true);
    await app.stop();
    expect(offerStrayError(foreign, 'uncaughtException')).to.equal(false);
  });

  describe('setups', () => {
    const files = {
      'steps/db.setup.ts': "import { setup } from 'treadle';\nexport default setup({ open: ({ env }) => { globalThis.toldByKit.push('open'); return env.URL; }, close: () => { globalThis.toldByKit.push('close'); } });",
      'steps/app.env.ts': "export default { schema: { properties: { URL: {} }, required: ['URL'] } };",
      'steps/read.step.ts': "import { http, step } from 'treadle';\nexport default step({ name: 'Read', triggers: [http('GET', '/')] }, async (_input, { setup, env }) => ({ status: 200, body: [setup.db, env.URL] }));",
    };
    const told: string[] = [];
    beforeEach(() => { Object.assign(globalThis, { toldByKit: told }); told.length = 0; });

    it('are opened when it is made, and closed when it is stopped', async () => {
      const app = await start({ root: bench.folder(files), env: { URL: 'one' } });
      expect((await app.http('GET', '/')).body).to.deep.equal(['one', 'one']);
      await app.reset();
      expect(told).to.deep.equal(['open', 'close', 'open']);
      await app.stop();
      expect(told).to.deep.equal(['open', 'close', 'open', 'close']);
    });

    it('may be given by the test, for files and for Steps of its own', async () => {
      const app = await start({ root: bench.folder(files), env: { URL: 'one' }, setups: { db: 'fake' } as object });
      expect((await app.http('GET', '/')).body).to.deep.equal(['fake', 'one']);
      const read = step({ name: 'Own', triggers: [http('GET', '/own')] }, async (_input, { setup }) => ({ status: 200, body: { ...setup } }));
      expect((await (await start({ steps: steps(read), setups: { db: 'fake' } as object })).http('GET', '/own')).body).to.deep.equal({ db: 'fake' });
      expect(told).to.deep.equal([]);
    });

    it('that cannot be opened, and variables that are not set, fail the test', async () => {
      expect((await failure(start({ root: bench.folder(files), env: {} }))).message).to.include('URL is not set');
      const broken = { ...files, 'steps/db.setup.ts': "export const open = () => { throw new Error('no route'); };" };
      expect((await failure(start({ root: bench.folder(broken), env: { URL: 'one' } }))).message).to.include('STEP_SETUP_FAILED  open(): no route');
    });
  });

  describe('what does not end', () => {
    const forever = step({ name: 'Forever', triggers: [queue('work', { config: { timeoutMs: 60_000, maxAttempts: 1 } }), http('GET', '/wait', { timeoutMs: 5_000 })] },
      async (_input, { signal }) => new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))));

    it('is named', async () => {
      const app = await start({ steps: steps(forever), timeoutMs: 50 });
      await app.enqueue('work', 1);
      expect((await failure(app.untilIdle())).message).to.equal('not idle after 50 ms: Step "Forever" runs (queue, attempt 1)');
    });

    it('comes to its time limit with the clock', async () => {
      const app = await start({ steps: steps(forever) });
      const waiting = app.http('GET', '/wait');
      await app.enqueue('work', 1);
      await app.clock.advance(5_000);
      expect((await waiting).status).to.equal(504);
      await app.clock.advance(55_000);
      await app.untilIdle();
      expect((await app.deadLetters())[0]?.reason).to.equal('max_attempts');
    });

    it('that goes on causing itself is told from what hangs', async () => {
      const again = step({ name: 'Again', triggers: [queue('again')], enqueues: ['again'] }, async (input, { enqueue }) => void await enqueue({ topic: 'again', data: input }));
      const app = await start({ steps: steps(again) });
      await app.enqueue('again', 1);
      expect((await failure(app.untilIdle({ timeoutMs: 100 }))).message).to.match(/^not idle after 100 ms: /);
    });

    it('does not hold up the stop', async () => {
      const app = await start({ steps: steps(forever) });
      await app.enqueue('work', 1);
      await app.stop();
      expect((await failure(app.enqueue('work', 1))).message).to.equal('the test engine was stopped');
    });
  });

  describe('as a guest in the process', () => {
    it('lives beside others, each with a world of its own', async () => {
      const keep = (name: string): Step => step({ name: 'Keep', triggers: [queue('keep')] }, async (_input, ctx) => void await ctx.state.set('kept', 'by', name)) as unknown as Step;
      const apps = await Promise.all(['a', 'b', 'c'].map((name) => start({ steps: [keep(name)], now: name.charCodeAt(0) })));
      await Promise.all(apps.map((app) => app.enqueue('keep', 1)));
      await Promise.all(apps.map((app) => app.untilIdle()));
      expect(await Promise.all(apps.map((app) => app.state.get('kept', 'by')))).to.deep.equal(['a', 'b', 'c']);
      expect(apps.map((app) => app.clock.now())).to.deep.equal([97, 98, 99]);
    });

    it('leaves nothing behind', async () => {
      const temporary = bench.folder({});
      for (const name of readdirSync(temporary)) rmSync(join(temporary, name));
      const { TMPDIR: usual } = process.env;
      const once = async (): Promise<void> => (await createTestEngine({ steps: steps(step({ name: 'A', triggers: [queue('a')] }, async () => undefined)) })).stop();
      const left = (): unknown => ({
        folders: readdirSync(temporary),
        listeners: process.eventNames().map((name) => [name, process.listenerCount(name)]), globals: Object.getOwnPropertySymbols(globalThis).length,
        exit: process.exit,
      });
      process.env['TMPDIR'] = temporary;
      try {
        await once();
        const before = left();
        await once();
        expect(left()).to.deep.equal({ ...before as object, folders: [] });
      } finally {
        if (usual === undefined) delete process.env['TMPDIR'];
        else process.env['TMPDIR'] = usual;
      }
    });
  });

  describe('refuses', () => {
    it('a Step that cannot be loaded, a selection that selects nothing, and a folder that is none', async () => {
      const root = bench.folder({ 'steps/a.step.js': "import { http } from 'treadle';\nexport const config = { name: 'A', triggers: [http('GET', '/a')] };", 'steps/b.step.js': 'export const x = ;' });
      const { message } = await failure(createTestEngine({ root }));
      expect(message).to.match(/^the application has errors:\n/).and.contain('steps/b.step.js:1').and.contain('STEP_SYNTAX');
      expect((await failure(createTestEngine({ root, steps: ['steps/c.step.js'] }))).message)
        .to.contain('"steps/c.step.js" is no Step file or folder of').and.contain('there are steps/a.step.js, steps/b.step.js');
      expect((await failure(createTestEngine({ root: join(root, 'nowhere') }))).message).to.match(/nowhere is no folder$/);
      expect((await failure(createTestEngine({ steps: [{}] as never }))).message).to.equal('"steps" takes file names, or what step() gives; got object');
    });

    it('a configuration with errors', async () => {
      const root = bench.folder({ 'config.yaml': 'modules:\n  - class: modules::htp::HttpModule\n' });
      expect((await failure(createTestEngine({ root }))).message).to.match(/^the configuration is invalid:\n.*config\.yaml:2/);
    });
  });
});

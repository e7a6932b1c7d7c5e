import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { failure, request, type StartOptions, TestSteps, until } from '../steps.fixture.js';

describe('the last known catalog of processes that others start', () => {
  let steps: TestSteps;
  const start = async (options: StartOptions = {}): Promise<void> => {
    steps = await TestSteps.start({ ...options, config: { discover: false, ...options.config } });
  };
  const file = (): string => join(steps.dataDir, 'remote-steps.json');
  const names = async (): Promise<string[]> => {
    const { sources } = JSON.parse(await readFile(file(), 'utf8')) as { sources: { reports: { steps: { config: { name: string } }[] }[] }[] };
    return sources.flatMap(({ reports }) => reports.flatMap((report) => report.steps.map(({ config }) => config.name)));
  };
  /** What lies there may be in no form that can be read until it is written anew. */
  const holds = (...expected: string[]): Promise<void> => until(async () => JSON.stringify(await names().catch(() => [])) === JSON.stringify(expected));
  /** Another engine on what the one before left in its data directory. */
  const restart = async (options: StartOptions = {}, text?: string): Promise<void> => {
    const left = text ?? await readFile(file(), 'utf8');
    await steps.stop();
    await start({ ...options, before: (dataDir) => {
      mkdirSync(dataDir, { recursive: true });
      writeFileSync(join(dataDir, 'remote-steps.json'), left);
    } });
  };
  afterEach(() => steps.stop());

  it('is there after a restart, served by nobody and named in health, until a process comes', async () => {
    await start();
    await steps.worker({ A: '/a' }, { application: 'app' });
    await holds('A');
    expect((await stat(file())).mode & 0o777).to.equal(0o600);
    await restart();
    expect(steps.dispatch.catalog.step('A')?.config.triggers).to.deep.equal([{ type: 'http', method: 'GET', path: '/a' }]);
    expect((await failure(steps.dispatch.invoker.invoke(request({ step: 'A' })))).code).to.equal('no_worker');
    expect(steps.health).to.deep.equal(['degraded: no process serves Step "A" of app']);
    expect(steps.dispatch.catalog.settled, 'it is known which Steps there are').to.equal(true);
    const worker = await steps.worker({ A: '/a' }, { application: 'app' });
    await until(() => steps.health.at(-1) === 'ok');
    worker.socket.close();
    await until(() => steps.health.at(-1) === 'degraded: no process serves Step "A" of app');
  });

  it('forgets a Step that its processes do not name any more, and a build once there is another one', async () => {
    await start();
    const old = await steps.worker({ A: '/a', B: '/b' }, { application: 'app', build: '1' });
    await holds('A', 'B');
    await restart();
    expect(steps.dispatch.catalog.steps().map(({ id }) => id)).to.have.members(['A', 'B']);
    await steps.worker({ A: '/a' }, { application: 'app', build: '1' });
    await holds('A');
    expect(steps.dispatch.catalog.steps().map(({ id }) => id)).to.deep.equal(['A']);
    await restart();
    await steps.worker({ C: '/c' }, { application: 'app', build: '2' });
    await holds('C');
    expect(steps.dispatch.catalog.steps().map(({ id }) => id)).to.deep.equal(['C']);
    old.socket.terminate();
  });

  it('takes nothing for complete that only a former run knew', async () => {
    await start();
    await steps.worker({ A: '/a' }, { application: 'app', build: '1' });
    await holds('A');
    await restart();
    expect(steps.module.applications().find(({ application }) => application === 'app')).to.deep.include({ complete: false });
  });

  it('holds no process without a name of its own, and is not written for none', async () => {
    await start();
    await steps.worker({ A: '/a' });
    await steps.worker({ B: '/b' }, { application: 'app' });
    await holds('B');
    await steps.stop();
    await start();
    await steps.worker({ A: '/a' });
    await steps.module.stop({ log: { debug: noop, info: noop, warn: noop, error: noop, child: () => { throw new Error('not used'); } }, signal: new AbortController().signal });
    expect(existsSync(file())).to.equal(false);
  });

  it('leaves to an engine with Steps of its own what that finds itself', async () => {
    await start();
    await steps.worker({ A: '/a' }, { application: 'test' });
    await steps.worker({ B: '/b' }, { application: 'app' });
    await holds('A', 'B');
    await restart({ config: { discover: true } });
    expect(steps.dispatch.catalog.steps().map(({ id }) => id)).to.deep.equal(['B']);
  });

  for (const [name, text] of Object.entries({ 'no JSON': '{"version":1', 'of another form': '{"version":99}', 'with a source that is none': '{"version":1,"sources":[{"source":1}]}' })) {
    it(`is not used when it is ${name}, which is said`, async () => {
      await start();
      await restart({}, text);
      expect(steps.dispatch.catalog.steps()).to.deep.equal([]);
      expect(steps.logged.filter(({ message }) => message.includes('in no form that this version knows'))).to.have.length(1);
      await steps.worker({ A: '/a' }, { application: 'app' });
      await holds('A');
    });
  }
});

function noop(): void {
  // What is said here is of no interest.
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChildEvents, RuntimeHost, RuntimeSession, StepFile, WorkerCrash } from '@treadle/api';
import { type FakeClock, fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { isAlive, until } from '../runtime.fixture.js';
import { SupervisedWorker } from './supervised-worker.js';

describe('SupervisedWorker', () => {
  let root: string;
  let clock: FakeClock;
  let crashes: WorkerCrash[];
  let children: ChildEvents[];
  let lines: string[];
  let worker: SupervisedWorker;

  const make = async (program: string): Promise<void> => {
    await writeFile(join(root, 'program.cjs'), program);
    const unused = (): never => { throw new Error('not used'); };
    const host: RuntimeHost = {
      hub: undefined as never, root, dataDir: root, mode: 'production', socketUrl: 'ws+unix:/x:/', token: 't',
      expectChild: (_id, events) => void children.push(events), join: unused, reportCrash: (crash) => void crashes.push(crash),
      statusChanged: () => undefined, output: (line) => void lines.push(line),
    };
    worker = new SupervisedWorker({
      worker: 3, runtime: 'node', program: join(root, 'program.cjs'), nodeOptions: [], esbuild: '/e', cacheDir: root, clock, host,
    });
    worker.start([]);
  };
  const session = (loads: (readonly StepFile[])[]): RuntimeSession => ({
    id: 's', runtime: 'node', version: 'v', send: () => undefined, cancel: () => undefined, drain: () => undefined,
    load: (files) => void loads.push(files),
  });

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'treadle-node-'));
    clock = fakeClock();
    crashes = [];
    children = [];
    lines = [];
  });
  afterEach(async () => {
    await worker.retire(0).catch(() => undefined);
    await rm(root, { recursive: true, force: true });
  });

  it('starts a process again and again, longer apart, and calls five crashes in a row a crash loop', async function slow() {
    this.timeout(30_000);
    await make('console.error("cannot"); process.exitCode = 3;');
    const states: string[] = [];
    for (let i = 1; i <= 10; i++) {
      await until(() => crashes.length === i);
      states.push(worker.status.state);
      await clock.advance(crashes[i - 1]?.restartMs ?? 0);
    }
    expect(states).to.deep.equal([...Array<string>(4).fill('restarting'), ...Array<string>(6).fill('crash_looping')]);
    expect(crashes.map((crash) => crash.restartMs)).to.deep.equal([100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000]);
    expect(crashes.map((crash) => crash.crashLooping).indexOf(true)).to.equal(4);
    expect(crashes[9]).to.deep.include({ worker: 3, reason: 'exit code 3', output: 'cannot\n', crashLooping: true });
    expect(worker.status).to.deep.include({ settled: true, restarts: 10, state: 'crash_looping' });
    await until(() => crashes.length === 11);
    worker.update([]);
    expect(worker.status.state).to.equal('starting');
  });

  it('is ready once it has registered, and as good as new after a minute', async () => {
    await make('process.stdin.resume();');
    expect(worker.status).to.deep.include({ state: 'starting', settled: false });
    const loads: (readonly StepFile[])[] = [];
    children[0]?.onHello(session(loads));
    children[0]?.onRegistered?.();
    expect(worker.status).to.deep.include({ state: 'ready', settled: true });
    worker.update([{ file: 'f', version: '1' }]);
    expect(loads).to.deep.equal([[], [{ file: 'f', version: '1' }]]);
    process.kill(worker.status.pid ?? 0, 'SIGKILL');
    await until(() => crashes.length === 1);
    await clock.advance(100);
    children[1]?.onHello(session([]));
    children[1]?.onRegistered?.();
    await clock.advance(60_000);
    process.kill(worker.status.pid ?? 0, 'SIGKILL');
    await until(() => crashes.length === 2);
    expect(crashes.map((crash) => crash.restartMs)).to.deep.equal([100, 100]);
  });

  for (const [name, cause, ms, reason] of [
    ['that does not register', () => undefined, 30_000, 'did not register its Steps in 30 s'],
    ['that lives on without its connection', (events?: ChildEvents) => { events?.onHello(session([])); events?.onLost('x'); }, 2000, 'it lost its connection to the engine'],
    ['that does not respond', (events?: ChildEvents) => events?.onUnresponsive(), 0, 'unresponsive for 15 s'],
  ] as const) {
    it(`kills a process ${name}`, async () => {
      await make('process.stdin.resume(); process.on("SIGTERM", () => {});');
      cause(children[0]);
      await clock.advance(ms);
      await until(() => crashes.length === 1);
      expect(crashes[0]?.reason).to.equal(reason);
    });
  }

  it('forces the end of a process that ignores every wish, and does not start it again', async () => {
    await make('process.stdin.resume(); process.on("SIGTERM", () => {}); console.log("up");');
    await until(() => lines.length === 1);
    children[0]?.onHello(session([]));
    const { pid = 0 } = worker.status;
    let over = false;
    const ended = worker.retire(2000).then(() => { over = true; });
    await clock.advance(2_900);
    expect([over, isAlive(pid)]).to.deep.equal([false, true]);
    await clock.advance(100);
    await ended;
    expect(worker.status).to.deep.include({ state: 'stopped' });
    expect(crashes).to.deep.equal([]);
  });
});

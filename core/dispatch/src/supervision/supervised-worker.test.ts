import { ChildProcess as NodeChild } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChildEvents, StepFile, WorkerCrash } from '@treadle/api';
import { expect } from 'chai';
import { ManualClock } from '../manual-clock.fixture.js';
import { testHost, testSession } from './host.fixture.js';
import { startStepProcess } from './step-process.js';
import { SupervisedWorker, type SupervisedWorkerOptions } from './supervised-worker.js';

describe('SupervisedWorker', () => {
  let root: string;
  let clock: ManualClock;
  let crashes: WorkerCrash[];
  let children: ChildEvents[];
  let lines: string[];
  let worker: SupervisedWorker;
  /** Processes whose end is known. */
  let ends: number;

  const make = async (program: string, more: Partial<SupervisedWorkerOptions> = {}): Promise<void> => {
    await writeFile(join(root, 'program.cjs'), program);
    const host = testHost(root, {
      expectChild: (_id, events) => void children.push(events), reportCrash: (crash) => void crashes.push(crash),
      output: (line) => void lines.push(line),
    });
    const launch = (): ReturnType<typeof startStepProcess> => {
      const child = startStepProcess({ command: process.execPath, args: [join(root, 'program.cjs')], cwd: root, env: process.env });
      return child.once('close', () => setImmediate(() => { ends++; }));
    };
    worker = new SupervisedWorker({ worker: 3, runtime: 'node', launch, start: { more: 1 }, clock, host, ...more });
    worker.start([]);
  };

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'treadle-supervised-'));
    clock = new ManualClock();
    crashes = [];
    children = [];
    ends = 0;
    lines = [];
  });
  const end = async (): Promise<void> => {
    let over = false;
    const ended = worker.retire(0).then(() => { over = true; });
    await until(async () => { await clock.pass(200); return over; });
    await ended;
  };
  afterEach(async () => {
    await end();
    await rm(root, { recursive: true, force: true });
  });

  it('starts a process again and again, longer apart, and calls five crashes in a row a crash loop', async function slow() {
    this.timeout(180_000);
    await make('console.error("cannot"); process.exitCode = 3;');
    const states: string[] = [];
    for (let i = 1; i <= 10; i++) {
      await until(() => crashes.length === i);
      states.push(worker.status.state);
      await clock.pass(crashes[i - 1]?.restartMs ?? 0);
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
    children[0]?.onHello(testSession(loads));
    children[0]?.onRegistered();
    expect(worker.status).to.deep.include({ state: 'ready', settled: true });
    worker.update([{ file: 'f', version: '1' }]);
    expect(loads).to.deep.equal([[], [{ file: 'f', version: '1' }]]);
    process.kill(worker.status.pid ?? 0, 'SIGKILL');
    children[0]?.onLost('x');
    await until(() => crashes.length === 1);
    await clock.pass(100);
    children[1]?.onHello(testSession([]));
    children[1]?.onRegistered();
    await clock.pass(60_000);
    process.kill(worker.status.pid ?? 0, 'SIGKILL');
    children[1]?.onLost('x');
    await until(() => crashes.length === 2);
    expect(crashes.map((crash) => crash.restartMs)).to.deep.equal([100, 100]);
  });

  it('suspects its files of an early end, but first the handler that is known to have ended it', async () => {
    const suspected: string[] = [];
    await make('process.stdin.resume();', { onLoadFailed: (how) => { suspected.push(how); return false; } });
    const dies = async (harmed: boolean, late = false): Promise<void> => {
      const count = crashes.length + 1;
      await until(() => children.length === count);
      const gone = (): void => { if (harmed) children[count - 1]?.onRelief(); };
      children[count - 1]?.onHello({ ...testSession([]), gone });
      children[count - 1]?.onRegistered();
      const { pid = 0 } = worker.status;
      process.kill(pid, 'SIGKILL');
      await until(() => !isAlive(pid));
      if (late) await until(async () => { await clock.pass(200); return crashes.length === count; });
      else {
        if (harmed) children[count - 1]?.onRelief();
        children[count - 1]?.onLost('x');
      }
      await until(() => crashes.length === count);
      await clock.pass(crashes[count - 1]?.restartMs ?? 0);
    };
    for (const late of [false, true]) {
      suspected.length = 0;
      await dies(true, late);
      await dies(true, late);
      expect(suspected).to.deep.equal([]);
      await dies(true, late);
      expect(suspected).to.deep.equal(['died']);
      await end();
      [crashes, children] = [[], []];
      await make('process.stdin.resume();', { onLoadFailed: (how) => { suspected.push(how); return false; } });
    }
    await dies(false);
    await dies(false);
    expect(suspected).to.deep.equal(['died', 'died']);
  });

  it('gives new files to the next process while this one is gone and its session is not', async () => {
    const suspected: string[] = [];
    const loads: (readonly StepFile[])[] = [];
    await make('process.stdin.resume();', { onLoadFailed: (how) => { suspected.push(how); return false; } });
    children[0]?.onHello(testSession(loads));
    children[0]?.onRegistered();
    const { pid = 0 } = worker.status;
    process.kill(pid, 'SIGKILL');
    await until(() => !worker.serves);
    worker.update([{ file: 'f', version: '1' }]);
    children[0]?.onLost('x');
    await until(() => crashes.length === 1);
    await clock.pass(100);
    children[1]?.onHello(testSession(loads));
    expect(loads).to.deep.equal([[], [{ file: 'f', version: '1' }]]);
    expect(suspected).to.deep.equal([]);
  });

  for (const [name, cause, ms, reason] of [
    ['that does not register', () => undefined, 30_000, 'did not register its Steps in 30 s'],
    ['that lives on without its connection', (events?: ChildEvents) => { events?.onHello(testSession([])); events?.onLost('x'); }, 2000, 'it lost its connection to the engine'],
    ['that does not respond', (events?: ChildEvents) => events?.onUnresponsive(), 0, 'unresponsive for 15 s'],
  ] as const) {
    it(`kills a process ${name}`, async () => {
      await make('process.stdin.resume(); process.on("SIGTERM", () => {});');
      cause(children[0]);
      await clock.pass(ms);
      await until(() => crashes.length === 1);
      expect(crashes[0]?.reason).to.equal(reason);
    });
  }

  for (const [name, launch] of [
    // What Node.js does with EMFILE: neither a pid nor pipes, and an error in the next turn.
    ['for want of file handles', () => {
      const child = new NodeChild();
      child.kill = () => { throw new Error('this would reach the own group'); };
      process.nextTick(() => child.emit('error', new Error('spawn node EMFILE')));
      return child;
    }],
    ['for want of memory', () => { throw new Error('spawn node ENOMEM'); }],
  ] as const) {
    it(`tries again, longer apart, when a process cannot be started ${name}`, async () => {
      let tries = 0;
      await make('', { launch: () => { tries++; return launch(); } });
      for (let i = 1; i <= 5; i++) {
        await until(() => crashes.length === i);
        expect(tries).to.equal(i);
        await clock.pass(crashes[i - 1]?.restartMs ?? 0);
      }
      expect(crashes.slice(0, 5).map((crash) => crash.restartMs)).to.deep.equal([100, 200, 400, 800, 1600]);
      expect(crashes[4]).to.deep.include({ pid: undefined, crashLooping: true });
      expect(crashes[0]?.reason).to.match(/^it could not be started: spawn node E(?:MFILE|NOMEM)$/);
      await until(() => crashes.length === 6);
    });

    it(`ends one that could not be started ${name} before that is known`, async () => {
      await make('', { launch });
      await end();
      expect(worker.status.state).to.equal('stopped');
      expect(crashes).to.deep.equal([]);
    });
  }

  it('ends the session of a process that is gone, and hears nothing of it in the next one', async () => {
    await make('process.stdin.resume();');
    const told: string[] = [];
    const session = { ...testSession(), gone: (reason: string): void => void told.push(reason) };
    children[0]?.onHello(session);
    process.kill(worker.status.pid ?? 0, 'SIGKILL');
    await until(() => ends === 1);
    // It was read only now.
    children[0]?.onRegistered();
    await clock.pass(200);
    expect(told).to.deep.equal(['signal SIGKILL']);
    await clock.pass(crashes[0]?.restartMs ?? 0);
    children[1]?.onHello(testSession());
    children[1]?.onRegistered();
    const { pid = 0 } = worker.status;
    children[0]?.onUnresponsive();
    children[0]?.onLost('x');
    expect(worker.serves).to.equal(true);
    await clock.pass(2_000);
    expect([isAlive(pid), crashes.length]).to.deep.equal([true, 1]);
  });

  for (const [name, again] of [
    ['begin anew with other files', (files: readonly StepFile[]) => worker.resume(files)],
    ['go on with other files', (files: readonly StepFile[]) => { worker.prepare(files); worker.giveUp(); }],
  ] as const) {
    for (const [when, gone] of [['is being ended', 0], ['has ended, and its session has not', 1]] as const) {
      it(`serves again when it is to ${name} while its process ${when}`, async () => {
        await make('process.stdin.resume();');
        const loads: (readonly StepFile[])[] = [];
        const file = (version: string): StepFile => ({ file: 'f', version });
        children[0]?.onHello(testSession());
        worker.resume([file('1')]);
        await until(() => ends >= gone);
        again([file('2')]);
        await clock.pass(0);
        expect(children).to.have.length(1);
        await until(async () => { await clock.pass(200); return children.length === 2; });
        children[1]?.onHello(testSession(loads));
        children[1]?.onRegistered();
        worker.update([file('3')]);
        expect([loads, worker.serves, crashes]).to.deep.equal([[[file('2')], [file('3')]], true, []]);
        children[1]?.onLost('x');
        await clock.pass(2_000);
        await until(() => crashes.length === 1);
        expect(crashes[0]?.reason).to.equal('it lost its connection to the engine');
      });
    }
  }

  for (const [name, told, last] of [
    ['is told of the end of its session', (events?: ChildEvents) => events?.onLost('x'), 0],
    ['has waited for it for a moment', async () => clock.pass(200), 1],
  ] as const) {
    it(`reads to the end what a retired process has sent: it is over when it ${name}`, async () => {
      await make('process.stdin.resume(); process.on("SIGTERM", () => process.exit(0)); console.log("up");');
      await until(() => lines.length === 1);
      const heard: string[] = [];
      children[0]?.onHello({ ...testSession([]), gone: (reason) => void heard.push(reason) });
      children[0]?.onRegistered();
      let over = 0;
      const ended = Promise.all([worker.retire(0), worker.retire(0)].map((each) => each.then(() => { over++; })));
      await clock.pass(0);
      await until(() => !worker.serves);
      expect([heard, over]).to.deep.equal([[], 0]);
      await told(children[0]);
      await ended;
      expect([heard.length, worker.status.state, clock.pending]).to.deep.equal([last, 'stopped', 0]);
    });
  }

  it('forces the end of a process that ignores every wish, and does not start it again', async () => {
    await make('process.stdin.resume(); process.on("SIGTERM", () => {}); console.log("up");');
    await until(() => lines.length === 1);
    children[0]?.onHello(testSession([]));
    const { pid = 0 } = worker.status;
    let over = false;
    const ended = worker.retire(2000).then(() => { over = true; });
    await clock.pass(2_900);
    expect([over, isAlive(pid)]).to.deep.equal([false, true]);
    await clock.pass(100);
    await until(() => !isAlive(pid));
    children[0]?.onLost('x');
    await ended;
    expect(worker.status).to.deep.include({ state: 'stopped' });
    expect(crashes).to.deep.equal([]);
  });
});

async function until(condition: () => boolean | Promise<boolean>, limitMs = 60_000): Promise<void> {
  for (let left = limitMs; !await condition(); left -= 5) {
    if (left <= 0) throw new Error(`not within ${limitMs} ms: ${condition.toString()}`);
    await new Promise((resolve) => { setTimeout(resolve, 5); });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // there is no such process
  }
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChildEvents, StepFile } from '@treadle/api';
import { expect } from 'chai';
import { ManualClock } from '../manual-clock.fixture.js';
import { testHost, testSession } from './host.fixture.js';
import { startStepProcess } from './step-process.js';
import { StepWorkers } from './step-workers.js';

describe('StepWorkers whose handler harms its process', () => {
  let root: string;
  let clock: ManualClock;
  let children: Map<string, ChildEvents>;
  let workers: StepWorkers;

  const start = async (count: number, files: readonly StepFile[] = [], first = ''): Promise<void> => {
    // Only the first process does what `first` says, once it has its first line.
    const once = `const fs = require("node:fs"); if (!fs.existsSync("begun")) { fs.writeFileSync("begun", ""); process.stdin.once("data", () => setTimeout(() => { ${first} }, 100)); }`;
    await writeFile(join(root, 'program.cjs'), `${once}\nprocess.stdin.on("end", () => process.exit(0)).resume();`);
    workers = new StepWorkers({
      count, runtime: 'node', clock, start: {},
      launch: () => startStepProcess({ command: process.execPath, args: [join(root, 'program.cjs')], cwd: root, env: process.env }),
      host: testHost(root, { expectChild: (id, events) => void children.set(id, events) }),
    });
    workers.start(files);
  };
  const end = async (): Promise<void> => {
    let over = false;
    const ended = workers.retire(0).then(() => { over = true; });
    while (!over) {
      await clock.pass(60_000);
      await new Promise((resolve) => { setTimeout(resolve, 5); });
    }
    await ended;
  };
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) await new Promise((resolve) => { setTimeout(resolve, 10); });
  };
  const served = (): void => {
    for (const events of [...children.values()]) {
      events.onHello(testSession());
      events.onRegistered();
    }
  };
  const harmed = (): void => children.get('node-0-1')?.onRelief();

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'treadle-workers-'));
    clock = new ManualClock();
    children = new Map();
  });
  afterEach(async () => {
    await end();
    await rm(root, { recursive: true, force: true });
  });

  it('have a second process for eleven minutes, counted from the last time', async () => {
    await start(1);
    served();
    harmed();
    expect([...children.keys()]).to.deep.equal(['node-0-1', 'node-1-1']);
    expect(workers.statuses.map(({ worker, state, settled }) => [worker, state, settled]), 'nobody waits for the second one').to.deep.equal([[0, 'ready', true], [1, 'starting', true]]);
    served();
    await clock.pass(600_000);
    harmed();
    expect(children.size).to.equal(2);
    await clock.pass(659_000);
    expect(workers.statuses).to.have.length(2);
    await clock.pass(1_000);
    expect(workers.statuses.map(({ worker }) => worker)).to.deep.equal([0]);
  });

  it('have no further one where there are several, or once they retire', async () => {
    await start(2);
    harmed();
    expect(workers.statuses).to.have.length(2);
    await end();
    await start(1);
    await end();
    harmed();
    expect(workers.statuses).to.have.length(1);
    await start(1);
    harmed();
    const over = end();
    served();
    expect(workers.statuses).to.have.length(1);
    await over;
  });

  it('tell the second process of middleware that may not be loaded, so that it does not serve without it', async () => {
    const guard = { file: 'steps/guard.middleware.js', version: '1' };
    const step = { file: 'steps/a.step.js', version: '1' };
    await start(1, [guard, step], `require('node:fs').writeSync(3, '{"ends":{"file":"${guard.file}","by":"process.exit"}}\\n'); process.exit(1);`);
    children.get('node-0-1')?.onHello(testSession());
    children.get('node-0-1')?.onLost('x');
    await until(() => children.has('node-0-2'));
    served();
    children.get('node-0-2')?.onRelief();
    const loads: (readonly StepFile[])[] = [];
    children.get('node-1-1')?.onHello(testSession(loads));
    expect(loads).to.deep.equal([[{ ...guard, held: true }, step]]);
  });
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ManualClock } from './manual-clock.fixture.js';
import type { SupervisedEvents } from './process-host.js';
import { startStepProcess } from './step-process.js';
import { StepWorkers } from './step-workers.js';

describe('StepWorkers whose handler harms its process', () => {
  let root: string;
  let clock: ManualClock;
  let children: Map<string, SupervisedEvents>;
  let workers: StepWorkers;

  const start = async (count: number): Promise<void> => {
    await writeFile(join(root, 'program.cjs'), 'process.stdin.on("end", () => process.exit(0)).resume();');
    workers = new StepWorkers({
      count, runtime: 'node', clock, start: {},
      launch: () => startStepProcess({ command: process.execPath, args: [join(root, 'program.cjs')], cwd: root }),
      host: {
        root, mode: 'production', socketUrl: 'ws+unix:/x:/', token: 't', expectChild: (id, events) => void children.set(id, events),
        reportCrash: () => undefined, statusChanged: () => undefined, refuse: () => undefined, output: () => undefined,
      },
    });
    workers.start([]);
  };
  const end = async (): Promise<void> => {
    const over = workers.retire(0);
    await clock.advance(60_000);
    await over;
  };
  const served = (): void => {
    for (const events of [...children.values()]) {
      events.onHello({ load: () => undefined, drain: () => undefined });
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
    await clock.advance(600_000);
    harmed();
    expect(children.size).to.equal(2);
    await clock.advance(659_000);
    expect(workers.statuses).to.have.length(2);
    await clock.advance(1_000);
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
  });
});

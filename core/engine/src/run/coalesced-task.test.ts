import { expect } from 'chai';
import { CoalescedTask } from './coalesced-task.js';

describe('a coalesced task', () => {
  let runs: (() => void)[];
  let task: CoalescedTask;
  beforeEach(() => {
    runs = [];
    task = new CoalescedTask(() => new Promise((resolve) => { runs.push(resolve); }));
  });
  const turn = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve); });

  it('keeps a wish that comes before the start', async () => {
    task.request();
    expect(runs).to.have.length(0);
    task.start();
    expect(runs).to.have.length(1);
    runs[0]!();
    await turn();
    expect(runs).to.have.length(1);
  });

  it('makes one further run of all wishes that come while it runs', async () => {
    task.start();
    for (let i = 0; i < 5; i++) task.request();
    expect(runs).to.have.length(1);
    runs[0]!();
    await turn();
    expect(runs).to.have.length(2);
    runs[1]!();
    await turn();
    expect(runs).to.have.length(2);
  });

  it('starts no further run once it is stopped', async () => {
    task.start();
    task.request();
    task.request();
    task.stop();
    runs[0]?.();
    await turn();
    expect(runs).to.have.length(1);
  });
});

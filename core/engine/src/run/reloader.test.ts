import { expect } from 'chai';
import { Reloader } from './reloader.js';

describe('reloader', () => {
  let runs: (() => void)[];
  let reloader: Reloader;
  beforeEach(() => {
    runs = [];
    reloader = new Reloader(() => new Promise((resolve) => { runs.push(resolve); }));
  });
  const turn = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve); });

  it('keeps a wish that comes before the start', async () => {
    reloader.request();
    expect(runs).to.have.length(0);
    reloader.start();
    expect(runs).to.have.length(1);
    runs[0]!();
    await turn();
    expect(runs).to.have.length(1);
  });

  it('makes one further run of all wishes that come while it runs', async () => {
    reloader.start();
    for (let i = 0; i < 5; i++) reloader.request();
    expect(runs).to.have.length(1);
    runs[0]!();
    await turn();
    expect(runs).to.have.length(2);
    runs[1]!();
    await turn();
    expect(runs).to.have.length(2);
  });

  it('starts no further run once it is stopped', async () => {
    reloader.start();
    reloader.request();
    reloader.request();
    reloader.stop();
    runs[0]?.();
    await turn();
    expect(runs).to.have.length(1);
  });
});

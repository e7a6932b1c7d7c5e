import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { WORKER_MAIN } from '@treadle/worker/worker-main';
import { expect } from 'chai';
import { bootSpare, dropSpare, startProcess } from './spare-process.js';
import type { Launch } from './step-program.js';

const usual: Launch = { program: WORKER_MAIN, args: [], nodeOptions: [], cwd: process.cwd(), env: process.env };

describe('the spare process', () => {
  const started: ReturnType<typeof startProcess>[] = [];
  const start = (launch: Launch): ReturnType<typeof startProcess> => {
    const child = startProcess(launch);
    started.push(child);
    return child;
  };
  afterEach(async () => {
    dropSpare();
    await Promise.all(started.splice(0).map(async (child) => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }));
  });

  it('is the first process that is started the usual way, and only that', async () => {
    const spare = bootSpare(process.env) as ChildProcess;
    const elsewhere = start({ ...usual, cwd: tmpdir() });
    const withOptions = start({ ...usual, nodeOptions: ['--no-warnings'] });
    const [first, second] = [start(usual), start(usual)];
    expect(first).to.equal(spare);
    expect([elsewhere, withOptions, second].includes(spare)).to.equal(false);
    dropSpare();
    // A process that reads its first line is alive and was not taken back.
    first.stdin?.end('\n');
    const [code, signal] = await once(first, 'exit') as [number | null, string | null];
    expect([code === 0, signal]).to.deep.equal([false, null]);
  });

  it('is not used when it has died', async () => {
    const spare = bootSpare(process.env) as ChildProcess;
    spare.kill('SIGKILL');
    await once(spare, 'exit');
    expect(start(usual)).to.not.equal(spare);
  });

  it('is ended when nobody wanted it', async () => {
    const spare = bootSpare(process.env) as ChildProcess;
    dropSpare();
    await once(spare, 'exit');
    expect(spare.signalCode).to.equal('SIGKILL');
    expect(start(usual)).to.not.equal(spare);
  });
});

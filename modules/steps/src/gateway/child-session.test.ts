import type { RuntimeAdapter, RuntimeHost, RuntimeSession, StepFile } from '@treadle/api';
import { expect } from 'chai';
import { failure, request, TestSteps, type TestWorker, until } from '../steps.fixture.js';

/** A runtime whose processes are a test's own. */
class Processes implements RuntimeAdapter {
  readonly name = 'node';
  host!: RuntimeHost;
  files: readonly StepFile[] = [];
  serves = (): boolean => true;
  workers = (): readonly [] => [];
  update = (): void => undefined;
  launch(host: RuntimeHost, files: readonly StepFile[]): Promise<void> {
    [this.host, this.files] = [host, files];
    return Promise.resolve();
  }
}

describe('the session of a process', () => {
  const processes = new Processes();
  let steps: TestSteps;
  beforeEach(async () => { steps = await TestSteps.start({ runtimes: [processes], files: { 'steps/a.step.ts': '' } }); });
  afterEach(() => steps.stop());

  const begin = async (childId: string): Promise<{ readonly session: RuntimeSession; readonly worker: TestWorker }> => {
    let resolve!: (session: RuntimeSession) => void;
    const promise = new Promise<RuntimeSession>((done) => { resolve = done; });
    processes.host.expectChild(childId, { onHello: resolve, onRegistered: () => undefined, onLost: () => undefined, onRelief: () => undefined, onUnresponsive: () => undefined });
    const serving = steps.dispatch.invoker.servers('A');
    const worker = await steps.connect('worker');
    await worker.hello(processes.host.token, { childId });
    const step = { config: { name: 'A', triggers: [{ type: 'http', method: 'GET', path: '/a' }] }, line: 1 };
    worker.send({ type: 'register', reports: processes.files.map((file) => ({ ...file, steps: [step] })), complete: true });
    await until(() => steps.dispatch.invoker.servers('A') > serving);
    return { session: await promise, worker };
  };

  it('that is asked to end gets nothing more, and what it runs ends', async () => {
    const first = await begin('a');
    const running = steps.dispatch.invoker.invoke(request());
    const { id } = await first.worker.next('invoke');
    first.session.drain(1_000);
    const second = await begin('b');
    const more = [1, 2, 3].map(() => steps.dispatch.invoker.invoke(request()));
    for (let left = more.length; left > 0; left -= 1) second.worker.send({ type: 'result', id: (await second.worker.next('invoke')).id });
    await Promise.all(more);
    first.worker.send({ type: 'result', id });
    await running;
  });

  it('that is gone ends at once, whoever holds its connection open', async () => {
    const { session, worker } = await begin('a');
    const running = steps.dispatch.invoker.invoke(request());
    await worker.next('invoke');
    session.gone?.('signal SIGKILL');
    expect(await failure(running)).to.deep.include({ code: 'worker_lost', detail: { workerDied: true } });
    expect(steps.dispatch.invoker.servers('A')).to.equal(0);
    expect(await worker.closed).to.equal(1001);
  });
});

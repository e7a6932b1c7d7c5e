import { expect } from 'chai';
import { EngineProcess, stopAllEngines, tells } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { LoadClient, type LoadResult } from '../support/load-client.js';
import { MORTAL_STEPS, testConfig } from '../support/sample-steps.js';
import { tempApplication, writeFiles } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

/** How long a request waits for a worker where none comes. */
const WAIT_MS = 1000;
/** Before a worker dies. */
const FIRST_ANSWERS = 32;
/** A worker has those that were sent since then: it answers in 60; milliseconds. */
const UNANSWERED_MS = 40;

/** Ends every process that is no engine, whatever files it has: what no file can be blamed for. */
const MORTAL_RUNTIME = `if (require('node:fs').existsSync('poison') && require('node:worker_threads').isMainThread) process.exit(3);`;

describe('the death of a worker under load', function () {
  this.timeout(120_000);
  afterEach(stopAllEngines);

  it('answers running requests with 502 and lets new ones wait for the next worker', async () => {
    const { engine, url } = await start(1);
    const load = new LoadClient({ url: `${url}/slow`, connections: 16 });
    const victim = await pidOf(url);
    await waitUntil('load', () => load.results.length > FIRST_ANSWERS && load.isBusy(UNANSWERED_MS));
    process.kill(victim, 'SIGKILL');
    const noticedMs = await noticed(load);
    await waitUntil('service by a new worker', () => load.results.some((r) => r.status === 200 && r.startedMs > noticedMs));
    const results = await load.stop();

    const lost = results.filter((r) => r.status === 502);
    expect(lost, 'requests that the worker took with it').to.have.length.within(1, 16);
    expect(lost.map((r) => r.code)).to.deep.equal(lost.map(() => 'worker_lost'));
    expectOnly(results, [200, 502]);
    expect(engine.ended).to.equal(false);
    expect(await pidOf(url)).to.not.equal(victim);
  });

  it('goes on with the other worker when one of two is killed', async () => {
    const { url } = await start(2);
    const load = new LoadClient({ url: `${url}/slow`, connections: 16 });
    const victim = await pidOf(url);
    await waitUntil('load', () => load.results.length > FIRST_ANSWERS && load.isBusy(UNANSWERED_MS));
    process.kill(victim, 'SIGKILL');
    const noticedMs = await noticed(load);
    await waitUntil('answers after the death', () => load.count((r) => r.status === 200 && r.startedMs > noticedMs) > 50);
    const results = await load.stop();

    const lost = results.filter((r) => r.status === 502);
    expect(lost).to.have.length.within(1, 15);
    expectOnly(results, [200, 502]);
    const after = results.filter((r) => r.startedMs > noticedMs);
    expect(after.filter((r) => r.status !== 200), 'failures after the death').to.deep.equal([]);
  });

  it('takes an end with exit code 0 for a crash', async () => {
    const { engine, url } = await start(1);
    const { status, json } = await request('GET', `${url}/exit`);
    expect(status).to.equal(502);
    expect(json).to.include({ code: 'worker_lost' });
    expect((await request('GET', `${url}/pid`)).status, 'the next request waits for the new worker').to.equal(200);
    await tells(engine, 'exit code 0');
  });

  it('survives a handler that exhausts the heap', async () => {
    const { engine, url } = await start(2, { NODE_OPTIONS: '--max-old-space-size=96' });
    const { status, json } = await request('GET', `${url}/heap`);
    expect(status).to.equal(502);
    expect(json).to.include({ code: 'worker_lost' });
    expect((await request('GET', `${url}/pid`)).status).to.equal(200);
    expect(engine.ended).to.equal(false);
  });

  it('gives up on a stopped worker and answers its requests with 502', async () => {
    const { url } = await start(2);
    const load = new LoadClient({ url: `${url}/slow`, connections: 8, pauseMs: 20 });
    const victim = await pidOf(url);
    await waitUntil('load', () => load.results.length > FIRST_ANSWERS);
    const stoppedMs = load.nowMs;
    process.kill(victim, 'SIGSTOP');
    await waitUntil('answers of the other worker', () => load.count((r) => r.status === 200 && r.startedMs > stoppedMs) > 0);
    await waitUntil('502 for the requests of the stopped worker', () => load.count((r) => r.status === 502) > 0);
    expectOnly(await load.stop(), [200, 502]);
  });

  it('refuses with 503 no_worker when no worker returns within a second, and shows a crash loop in health', async function () {
    this.timeout(120_000);
    const { cwd, engine, url } = await start(1, { NODE_OPTIONS: '--require=./mortal.cjs' }, { 'mortal.cjs': MORTAL_RUNTIME }, WAIT_MS);
    expect((await request('GET', `${url}/pid`)).status).to.equal(200);
    writeFiles(cwd, { poison: '' });
    process.kill(await pidOf(url), 'SIGKILL');

    // The pauses between the attempts to start a worker grow; from the fifth on they are longer than a request waits.
    await waitUntil('the fifth crash', () => engine.output.split('exit code 3').length > 5);
    const began = performance.now();
    const refused = await request('GET', `${url}/pid`);
    expect(refused.status).to.equal(503);
    expect(refused.json).to.include({ code: 'no_worker' });
    expect(refused.headers).to.have.property('retry-after');
    expect(performance.now() - began, 'milliseconds that it waited').to.be.at.least(WAIT_MS - 100);

    const health = await waitUntil('degraded health', async () => {
      const answer = await request('GET', `${url}/health`);
      return (answer.json as { status: string }).status === 'degraded' && answer;
    });
    expect(health.status).to.equal(200);
    expect(health.text).to.match(/crash/);
  });
});

async function start(
  workers: number, env: Record<string, string> = {}, files: Record<string, string> = {}, waitMs?: number,
): Promise<{ cwd: string; engine: EngineProcess; url: string }> {
  const cwd = tempApplication({ ...MORTAL_STEPS, ...files, 'config.yaml': testConfig({ workers, ...waitMs !== undefined && { waitMs } }) });
  const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'], env });
  return { cwd, engine, url: await engine.ready() };
}

async function pidOf(url: string): Promise<number> {
  return ((await request('GET', `${url}/pid`)).json as { pid: number }).pid;
}

function expectOnly(results: readonly LoadResult[], statuses: readonly number[]): void {
  const others = results.filter((r) => r.status === undefined || !statuses.includes(r.status));
  expect(others, 'other answers').to.deep.equal([]);
}

/** When the engine knew of the death: the first 502 tells. */
async function noticed(load: LoadClient): Promise<number> {
  const { startedMs, tookMs } = await waitUntil('a request that the worker took with it', () => load.results.find((r) => r.status === 502));
  return startedMs + tookMs;
}

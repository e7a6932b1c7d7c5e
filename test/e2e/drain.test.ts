import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { LoadClient } from '../support/load-client.js';
import { MORTAL_STEPS, getStep, testConfig } from '../support/sample-steps.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const WRITE = "import { writeFileSync } from 'node:fs';\n";
const BEGAN = 'writeFileSync("began", "");';
const HANGING = WRITE + getStep('Hanging', '/hanging', '{}', `${BEGAN} await new Promise(() => undefined);`);
const LONG = WRITE + getStep('Long', '/long', '{ done: true }', `${BEGAN} await new Promise((r) => setTimeout(r, 1500));`);

/** Ended, though perhaps nobody has taken note of it yet. */
function hasEnded(pid: number): boolean {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true; // there is no such process
  }
}

describe('SIGTERM under load', function () {
  this.timeout(120_000);
  afterEach(stopAllEngines);

  const begun = (cwd: string): Promise<unknown> => waitUntil('a handler that runs', () => existsSync(join(cwd, 'began')));
  const start = async (engineKeys: string[]): Promise<{ cwd: string; engine: EngineProcess; url: string }> => {
    const cwd = tempApplication({ ...MORTAL_STEPS, 'steps/long.step.js': LONG, 'steps/hanging.step.js': HANGING, 'config.yaml': testConfig({ engine: engineKeys }) });
    const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
    return { cwd, engine, url: await engine.ready() };
  };

  it('fails no request of a client that obeys Connection: close and leaves at the first 503 of /health', async () => {
    const { engine, url } = await start(['drain_delay_ms: 12000']);
    const load = new LoadClient({ url: `${url}/slow`, connections: 32 });
    await waitUntil('load', () => load.results.length > 64);
    engine.child.kill('SIGTERM');
    const draining = await waitUntil('health 503', async () => {
      const answer = await request('GET', `${url}/health`);
      return answer.status === 503 && answer;
    });
    expect(draining.text).to.equal('{"status":"draining"}');
    const during = await request('GET', `${url}/pid`);
    expect([during.status, during.headers.connection]).to.deep.equal([200, 'close']);
    const { length } = load.results;
    await waitUntil('more answers of a load balancer that polls', () => load.results.length > length + 64);
    const results = await load.stop();
    expect(results.filter((r) => r.status !== 200)).to.deep.equal([]);
    expect(await engine.exit).to.deep.equal({ code: 0, signal: null });
  });

  it('waits for running handlers and exits with 0', async () => {
    const { cwd, engine, url } = await start([]);
    const long = request('GET', `${url}/long`);
    await begun(cwd);
    engine.child.kill('SIGTERM');
    const answer = await long;
    expect([answer.status, answer.json]).to.deep.equal([200, { done: true }]);
    expect(await engine.exit).to.deep.equal({ code: 0, signal: null });
  });

  it('answers 503 and aborts the signal of a handler that has not ended in time', async () => {
    const wait = `${BEGAN} await new Promise((r) => ctx.signal.addEventListener("abort", r)); writeFileSync("aborted", String(ctx.signal.reason?.message ?? ""));`;
    const step = `${WRITE}${getStep('Endless', '/endless', '{}', wait).replace('(req)', '(req, ctx)')}`;
    const cwd = tempApplication({ 'steps/endless.step.mjs': step, 'config.yaml': testConfig({ engine: ['drain_timeout_ms: 300'] }) });
    const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
    const endless = request('GET', `${await engine.ready()}/endless`);
    await begun(cwd);
    engine.child.kill('SIGTERM');
    const answer = await endless;
    expect([answer.status, (answer.json as { code: string }).code]).to.deep.equal([503, 'draining']);
    expect(await engine.exit).to.deep.equal({ code: 0, signal: null });
    expect(existsSync(join(cwd, 'aborted'))).to.equal(true);
  });

  it('exits at once with 128 + n on a second signal and leaves no worker behind', async () => {
    const { cwd, engine, url } = await start([]);
    const { pid } = (await request('GET', `${url}/pid`)).json as { pid: number };
    const hanging = request('GET', `${url}/hanging`).catch((error: Error) => error);
    await begun(cwd);
    engine.child.kill('SIGTERM');
    await waitUntil('the engine to stop', () => engine.output.includes('stopping'));
    engine.child.kill('SIGINT');
    expect(await engine.exit).to.deep.equal({ code: 130, signal: null });
    expect(await hanging).to.be.instanceOf(Error);
    await waitUntil('the end of the worker', () => hasEnded(pid));
  });
});

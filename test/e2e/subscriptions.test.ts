import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ROOT } from '../architecture/workspace.js';
import { AdminClient } from '../support/admin-client.js';
import { cleanEnvironment, cliProgram, EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { type Files, tempApplication, tempFolder, writeFiles } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const PRODUCE = `export const config = { name: 'Produce', triggers: [{ type: 'http', method: 'POST', path: '/produce' }], enqueues: ['orders'] };
export const handler = async (input, ctx) => {
  await ctx.enqueue({ topic: 'orders', data: { n: input.body.n } });
  return { status: 202 };
};
`;

/** Notes what it gets, one number a line. */
const keep = (out: string): string => `import { appendFileSync } from 'node:fs';
export const config = { name: 'Keep', triggers: [{ type: 'queue', topic: 'orders' }] };
export const handler = async (input) => appendFileSync(${JSON.stringify(out)}, input.n + '\\n');
`;

/** Takes nothing: its messages wait for a next attempt that is far away. */
const waits = (name: string): string => `import { RetryAfter } from 'treadle';
export const config = { name: '${name}', triggers: [{ type: 'queue', topic: 'orders' }] };
export const handler = async () => { throw new RetryAfter(600_000); };
`;

const RETIRE_MS = 200;

const config = (steps: string): string => `modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::queue::QueueModule
    config: { retire_delay_ms: ${RETIRE_MS} }
  - class: modules::console::ConsoleModule
    config: { port: 0 }
  - class: modules::steps::StepsModule
    config: ${steps}
`;

describe('subscriptions follow the catalog', function () {
  this.timeout(120_000);
  const workers: ChildProcess[] = [];
  let out: string;
  beforeEach(() => { out = join(tempFolder(), 'kept'); });
  afterEach(async () => {
    for (const worker of workers.splice(0)) worker.kill('SIGKILL');
    await stopAllEngines();
  });

  const kept = (): readonly number[] => (existsSync(out) ? readFileSync(out, 'utf8').trim().split('\n').map(Number) : []);
  const keptAll = (count: number): Promise<unknown> => waitUntil(`${count} messages at Keep`, () => new Set(kept()).size === count);
  const numbers = (letters: readonly { readonly data: unknown }[]): number[] => letters.map(({ data }) => (data as { n: number }).n).sort((a, b) => a - b);
  const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

  async function produce(url: string, from: number, to: number): Promise<void> {
    for (const n of range(from, to)) expect((await request('POST', `${url}/produce`, { n })).status).to.equal(202);
  }

  it('under dev: a renamed and a deleted consumer leave nothing that gathers, and nothing is lost', async () => {
    const cwd = tempApplication({
      'steps/produce.step.js': PRODUCE, 'steps/keep.step.js': keep(out), 'steps/waits.step.js': waits('Waits'), 'config.yaml': config('{ port: false }'),
    });
    const engine = new EngineProcess({ cwd, program: cliProgram(), args: ['dev', '--config', 'config.yaml'] });
    const url = await engine.ready();
    const admin = new AdminClient(engine);
    const gathers = (...expected: string[]): Promise<unknown> =>
      waitUntil(`subscriptions ${expected.join(', ')}\n${engine.output}`, async () => JSON.stringify(await admin.gathered()) === JSON.stringify(expected));

    await gathers('Keep: 0', 'Waits: 0');
    await produce(url, 1, 5);
    await gathers('Keep: 0', 'Waits: 5');
    writeFiles(cwd, { 'steps/waits.step.js': waits('Renamed') });
    await gathers('Keep: 0', 'Renamed: 0');
    const letters = await admin.letters('Waits');
    expect([numbers(letters), new Set(letters.map(({ reason }) => reason))]).to.deep.equal([range(1, 5), new Set(['subscription_retired'])]);

    renameSync(join(cwd, 'steps/waits.step.js'), join(cwd, 'steps/moved.step.js'));
    await produce(url, 6, 10);
    await waitUntil('the moved Step', async () => (await admin.call<{ items: readonly { file: string }[] }>('GET', '/steps')).items.some(({ file }) => file === 'steps/moved.step.js'));
    await gathers('Keep: 0', 'Renamed: 5');
    expect(await admin.letters('Renamed'), 'a Step that only moved keeps its messages').to.deep.equal([]);

    rmSync(join(cwd, 'steps/moved.step.js'));
    await gathers('Keep: 0');
    expect(numbers(await admin.letters('Renamed'))).to.deep.equal(range(6, 10));
    await produce(url, 11, 15);
    await keptAll(15);
    await gathers('Keep: 0');

    const { redriven } = await admin.call<{ redriven: number }>('POST', '/queues/dead-letters/redrive', { reason: 'subscription_retired', toStep: 'Keep' });
    expect(redriven).to.equal(10);
    await waitUntil('the redriven messages', () => kept().length === 25);
    expect((await engine.stop('SIGINT')).code).to.equal(0);
  });

  it('in a rolling deploy: the old build keeps its subscriptions until its last process has left, and nothing is lost', async () => {
    const engine = new EngineProcess({ cwd: tempApplication({ 'config.yaml': config('{ port: false, discover: false }') }), args: ['--config', 'config.yaml'] });
    const url = await engine.ready();
    const admin = new AdminClient(engine);
    const start = (build: string, files: Files): ChildProcess => {
      const cwd = tempApplication({
        'treadle.lock.json': JSON.stringify({ name: 'shop', build }), 'steps/produce.step.js': PRODUCE, 'steps/keep.step.js': keep(out), ...files,
      });
      const worker = spawn(process.execPath, [join(ROOT, 'core/worker/bin/treadle-worker.js')], {
        cwd, env: { ...cleanEnvironment(), TREADLE_DATA_DIR: engine.dataDir }, stdio: 'ignore',
      });
      workers.push(worker);
      return worker;
    };
    const has = (...expected: string[]): Promise<unknown> => waitUntil(`subscriptions of ${expected.join(', ')}\n${engine.output}`,
      async () => JSON.stringify((await admin.subscriptions()).map(({ step, application }) => `${application}/${step}`).sort()) === JSON.stringify(expected));

    const old = start('1', { 'steps/waits.step.js': waits('Waits') });
    await has('shop/Keep', 'shop/Waits');
    await waitUntil('the route', async () => (await request('POST', `${url}/produce`, { n: 0 })).status === 202);
    const acknowledged = [0];
    const refused: number[] = [];
    let rolling = true;
    const load = (async () => {
      for (let n = 1; rolling; n++) {
        const { status } = await request('POST', `${url}/produce`, { n });
        if (status === 202) acknowledged.push(n);
        else refused.push(status);
        await sleep(3);
      }
    })();
    const more = (): Promise<unknown> => {
      const { length } = acknowledged;
      return waitUntil('more messages', () => acknowledged.length >= length + 20);
    };
    await more();
    start('2', { 'steps/renamed.step.js': waits('Renamed') });
    await has('shop/Keep', 'shop/Renamed', 'shop/Waits');
    // Longer than what nobody has asked for any more is kept.
    await Promise.all([sleep(3 * RETIRE_MS), more()]);
    await has('shop/Keep', 'shop/Renamed', 'shop/Waits');
    expect(await admin.letters('Waits'), 'letters while the old build is attached').to.deep.equal([]);

    const ended = once(old, 'exit');
    old.kill('SIGTERM');
    await ended;
    await has('shop/Keep', 'shop/Renamed');
    await more();
    rolling = false;
    await load;

    expect(refused).to.deep.equal([]);
    await keptAll(acknowledged.length);
    expect([...new Set(kept())].sort((a, b) => a - b)).to.deep.equal(acknowledged);
    const letters = await admin.letters('Waits');
    expect(new Set(letters.map(({ reason }) => reason))).to.deep.equal(new Set(['subscription_retired']));
    const waitForNext = await waitUntil('the first attempt of every message', async () =>
      (await admin.subscriptions()).find(({ step, waiting, active }) => step === 'Renamed' && waiting + active === 0)?.retrying);
    const waiting = await admin.call<{ items: readonly { data: unknown }[] }>('GET', '/queues/messages?step=Renamed&topic=orders&limit=1000');
    expect(waiting.items.length).to.equal(waitForNext);
    // Each message is with the old consumer, the new one, or, while both were there, with both.
    expect([...new Set([...numbers(letters), ...numbers(waiting.items)])].sort((a, b) => a - b)).to.deep.equal(acknowledged);
    expect(letters.length).to.be.greaterThan(10);
    expect(waiting.items.length).to.be.greaterThan(10);
  });
});

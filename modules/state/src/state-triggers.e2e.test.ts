import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { StatePort, StepsPort } from '@treadle/api';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import { expect } from 'chai';

const ENGINE = join(dirname(createRequire(import.meta.url).resolve('@treadle/engine/package.json')), 'bin', 'treadle-engine.js');

const yaml = (adapter: string, queue = '  - class: modules::queue::QueueModule\n'): string => `
engine: { implicit_modules: false }
modules:
  - class: modules::http::HttpModule
    config: { port: 0 }
  - class: modules::console::ConsoleModule
    config: { port: 0 }
  - class: modules::state::StateModule
    config: { adapter: { class: modules::state::adapters::${adapter} } }
  - class: modules::steps::StepsModule
    config: { port: 0 }
${queue}`;

const KV = 'KvStore, config: { store_method: file_based, file_path: state-kv.db }';

/** Writes as it is told, hears of group `g`, and writes again whenever group `loop` changes. */
const steps = (heard: string): Readonly<Record<string, string>> => ({
  'write.step.ts': `
export const config = { name: 'write', triggers: [{ type: 'http', method: 'POST', path: '/write' }] };
export const handler = async ({ body }: any, { state }: any) => {
  for (const [verb, ...args] of body) await state[verb](...args);
  return { status: 200, body: {} };
};`,
  'hear.step.ts': `
import { appendFileSync } from 'node:fs';
export const config = { name: 'hear', triggers: [{ type: 'state', group: 'g' }] };
export const handler = async (change: any) => appendFileSync(${JSON.stringify(heard)}, JSON.stringify(change) + '\\n');`,
  'loop.step.ts': `
export const config = { name: 'loop', triggers: [{ type: 'state', group: 'loop' }] };
export const handler = async (_change: any, { state }: any) => state.update('loop', 'n', [{ type: 'increment' }]);`,
});

interface Heard { readonly type: string; readonly key: string; readonly oldValue: unknown; readonly newValue: unknown }

describe('state triggers in a running engine', function () {
  this.timeout(120_000);
  let root: string;
  let file: string;
  let engine: TestComposition | undefined;
  let child: ChildProcess | undefined;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'treadle-triggers-'));
    file = join(root, 'heard.txt');
    mkdirSync(join(root, 'steps'));
    for (const [name, text] of Object.entries(steps(file))) writeFileSync(join(root, 'steps', name), text);
  });
  afterEach(async () => {
    await engine?.stop();
    engine = undefined;
    child?.kill('SIGKILL');
    child = undefined;
    rmSync(root, { recursive: true, force: true });
  });

  const heard = (): readonly Heard[] =>
    (existsSync(file) ? readFileSync(file, 'utf8') : '').split('\n').filter(Boolean).map((line) => JSON.parse(line) as Heard);
  const until = async (holds: () => boolean | Promise<boolean>, what: string): Promise<void> => {
    for (let tries = 0; !await holds(); tries += 1) {
      if (tries > 1000) throw new Error(`not in time: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  };
  const healthy = async (url: string): Promise<boolean> => (await fetch(`${url}/health`).catch(() => undefined))?.status === 200;
  const post = (url: string, writes: readonly unknown[]): Promise<number> => fetch(`${url}/write`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(writes),
  }).then(({ status }) => status, () => 0);
  const start = async (config: string): Promise<string> => {
    engine = await createTestComposition({ root, yaml: config });
    const url = engine.url('http');
    await until(() => healthy(url), 'the workers');
    return url;
  };

  for (const adapter of ['Sqlite', KV]) {
    it(`tell a Step of create, update and delete in order (${adapter.split(',')[0]})`, async () => {
      const url = await start(yaml(adapter));
      expect(await post(url, [
        ['set', 'g', 'k', { n: 1 }], ['set', 'other', 'k', 1], ['update', 'g', 'k', [{ type: 'increment', path: 'n' }]], ['delete', 'g', 'k'],
        ['set', 'g', 'a', 1], ['clear', 'g'],
      ])).to.equal(200);
      await until(() => heard().length >= 5, 'five changes');
      expect(heard().map(({ type, key, oldValue, newValue }) => [type, key, oldValue, newValue])).to.deep.equal([
        ['create', 'k', null, { n: 1 }], ['update', 'k', { n: 1 }, { n: 2 }], ['delete', 'k', { n: 2 }, null], ['create', 'a', null, 1], ['delete', 'a', 1, null],
      ]);
    });
  }

  it('hear of writes that no handler did', async () => {
    await start(yaml('Sqlite'));
    await engine?.engine.port(StatePort)?.set('g', 'k', 'from a module');
    await until(() => heard().length === 1, 'the change');
    expect(heard()[0]).to.include({ type: 'create', newValue: 'from a module' });
  });

  it('end a chain of themselves after 100 hops', async () => {
    const url = await start(yaml('Sqlite'));
    const token = readFileSync(join(engine?.dataDir ?? '', 'admin.token'), 'utf8').trim();
    const letters = async (): Promise<readonly { readonly step: string; readonly reason: string }[]> => {
      const answer = await fetch(`${engine?.url('console')}/api/v1/queues/dead-letters`, { headers: { authorization: `Bearer ${token}` } });
      return (await answer.json() as { items: { step: string; reason: string }[] }).items;
    };
    expect(await post(url, [['set', 'loop', 'n', 0]])).to.equal(200);
    await until(async () => (await letters()).length > 0, 'the dead letter');
    expect((await letters()).map(({ step, reason }) => [step, reason])).to.deep.equal([['loop', 'loop_limit']]);
    expect(await engine?.engine.port(StatePort)?.get('loop', 'n')).to.equal(100);
  });

  it('are a finding when no queue is there, and the rest works', async () => {
    const url = await start(yaml('Sqlite', ''));
    const findings = engine?.engine.port(StepsPort)?.diagnostics().map(({ code, step }) => [step, code]);
    expect(findings).to.have.deep.members([['hear', 'STEP_KIND_NOT_LOADED'], ['loop', 'STEP_KIND_NOT_LOADED']]);
    expect(await post(url, [['set', 'g', 'k', 1]])).to.equal(200);
    expect(heard()).to.deep.equal([]);
  });

  it('miss no acknowledged write when the engine is killed between write and delivery', async () => {
    writeFileSync(join(root, 'config.yaml'), yaml('Sqlite'));
    const launch = async (): Promise<string> => {
      const { NODE_OPTIONS: _loader, ...env } = process.env;
      child = spawn(process.execPath, [ENGINE, '--config', 'config.yaml'], { cwd: root, env, stdio: 'ignore' });
      const address = (): string | undefined => {
        const record = join(root, 'data', 'engine.json');
        const { pid, addresses } = (existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : {}) as { pid?: number; addresses?: { http?: string } };
        return pid === child?.pid ? addresses?.http : undefined;
      };
      await until(() => address() !== undefined, 'the engine');
      const url = address() ?? '';
      await until(() => healthy(url), 'the workers');
      return url;
    };
    const acknowledged: string[] = [];
    for (const round of [1, 2, 3]) {
      const url = await launch();
      let running = true;
      const writers = Array.from({ length: 8 }, async (_, writer) => {
        for (let count = 0; running; count += 1) {
          const key = `${round}-${writer}-${count}`;
          if (await post(url, [['set', 'g', key, count]]) === 200) acknowledged.push(key);
        }
      });
      const enough = acknowledged.length + 30 * round;
      await until(() => acknowledged.length >= enough, 'acknowledged writes');
      child?.kill('SIGKILL');
      if (child) await once(child, 'exit');
      running = false;
      await Promise.all(writers);
    }
    await launch();
    const missing = (): readonly string[] => {
      const keys = new Set(heard().map(({ key }) => key));
      return acknowledged.filter((key) => !keys.has(key));
    };
    await until(() => missing().length === 0, `${missing().length} of ${acknowledged.length} writes are heard of`);
    expect(heard().every(({ type }) => type === 'create')).to.equal(true);
  });
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StatePort } from '@treadle/api';
import { BUILTIN_PLUGINS } from '@treadle/engine';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import keyv from '@treadle/plugin-keyv';
import { expect } from 'chai';
import state from './index.js';

const builtins = [...BUILTIN_PLUGINS.filter(({ name }) => name !== state.name && name !== keyv.name), state, keyv];

const yaml = (adapter: string, workers: number): string => `
modules:
  - class: modules::state::StateModule
    config: { adapter: { class: modules::state::adapters::KvStore, config: ${adapter} } }
  - class: modules::steps::StepsModule
    config: { runtimes: [{ class: modules::runtime::adapters::Node, config: { workers: ${workers} } }] }
`;

const step = (name: string, body: string): string => `
export const config = { name: '${name}', triggers: [{ type: 'http', method: 'POST', path: '/${name}' }] };
export const handler = async (input: any, { state }: any) => { ${body} };
`;

const STEPS: Readonly<Record<string, string>> = {
  count: step('count', `
    await Promise.all(Array.from({ length: input.body.times }, () => state.update('counters', 'n', [{ type: 'increment' }])));
    return { status: 200, body: { pid: process.pid } };`),
  all: step('all', `
    const results: unknown[] = [];
    results.push(await state.get('g', 'k'), await state.set('g', 'k', { n: 1, list: [] }, { ttlMs: 60000 }));
    results.push(await state.update('g', 'k', [{ type: 'increment', path: 'n', by: 4 }, { type: 'append', path: ['list'], value: 'x' }]));
    results.push(await state.getEntry('g', 'k'), await state.getEntry('g', 'none'));
    results.push(await state.compareAndSet('g', 'k', 2, 'new'), await state.set('h', '__proto__', { __proto__: null, a: 1 }));
    results.push(await state.list('g', { prefix: 'k', limit: 1 }), await state.listGroups());
    results.push(await state.clear('g'), await state.delete('h', '__proto__'), await state.listGroups({ limit: 5 }));
    return { status: 200, body: results };`),
  faults: step('faults', `
    const tried = async (work: Promise<unknown>) => work.then(() => 'fine', (error) => error.name + ' ' + error.code + ': ' + error.message);
    await state.set('g', 'k', { text: 'x' });
    return { status: 200, body: [
      await tried(state.get('', 'k')), await tried(state.set('g', 'k', 'x'.repeat(1000001))), await tried(state.compareAndSet('g', 'k', 9, 1)),
      await tried(state.update('g', 'k', [{ type: 'set', path: 'a', value: 1 }, { type: 'increment', path: 'text' }])),
      await tried(state.list('g', { limit: 0 })), await tried(state.list('g', { cursor: '../x' })), await state.get('g', 'k'),
    ] };`),
};

describe('state in a running engine', function () {
  this.timeout(180_000);
  let root: string;
  let engine: TestComposition | undefined;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'treadle-state-e2e-'));
    mkdirSync(join(root, 'steps'));
    for (const [name, text] of Object.entries(STEPS)) writeFileSync(join(root, 'steps', `${name}.step.ts`), text);
  });
  afterEach(async () => {
    await engine?.stop();
    engine = undefined;
    rmSync(root, { recursive: true, force: true });
  });

  const start = async (adapter: string, workers = 1): Promise<void> => {
    engine = await createTestComposition({ root, builtins, yaml: yaml(adapter, workers) });
    for (let tries = 0; tries < 600; tries++) {
      if ((await fetch(`${engine.url('http')}/health`)).status === 200) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('the workers did not come up');
  };
  const post = async (path: string, body: object = {}): Promise<unknown> => {
    const response = await fetch(`${engine?.url('http')}/${path}`, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
    });
    expect(response.status, path).to.equal(200);
    return response.json();
  };

  for (const adapter of ['{ store_method: in_memory }', '{ store_method: file_based, file_path: kv/state.db }']) {
    it(`serves every operation of ctx.state with ${adapter}`, async () => {
      await start(adapter);
      const value = { n: 5, list: ['x'] };
      expect(await post('all')).to.deep.equal([
        null, { n: 1, list: [] }, { value, revision: 2 }, { key: 'k', value, revision: 2 }, null, { value: 'new', revision: 3 }, { a: 1 },
        { items: [{ key: 'k', value: 'new', revision: 3 }] }, { items: ['g', 'h'] }, 1, null, { items: [] },
      ]);
    });
  }

  it('tells handlers what is wrong, by a code and a text', async () => {
    await start('{}');
    expect(await post('faults')).to.deep.equal([
      'OperationError StateInvalidArgument: group must not be empty',
      'OperationError InvalidValue: the value has 1000003 bytes as JSON; at most 1000000 are stored',
      'OperationError StateConflict: key "k" of group "g" has revision 1, not revision 9',
      'OperationError InvalidUpdate: operation 1: "text" is a string; increment and decrement need a number there',
      'OperationError StateInvalidArgument: limit must be a whole number from 1 to 1000, got 0',
      'OperationError StateInvalidArgument: cursor must be one that a former page gave',
      { text: 'x' },
    ]);
  });

  it('ends at 10,000 after 10,000 increments of one key from two workers', async () => {
    await start('{}', 2);
    const answers = await Promise.all(Array.from({ length: 10 }, () => post('count', { times: 1000 })));
    expect(new Set((answers as { pid: number }[]).map(({ pid }) => pid)).size, 'workers that took part').to.equal(2);
    expect(await engine?.engine.port(StatePort)?.getEntry('counters', 'n')).to.deep.equal({ value: 10_000, revision: 10_000 });
  });
});

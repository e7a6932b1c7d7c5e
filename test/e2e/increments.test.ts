import { expect } from 'chai';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { testConfig } from '../support/sample-steps.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const COUNT = `export const config = { name: 'Count', triggers: [{ type: 'http', method: 'POST', path: '/count/:times' }] };
export const handler = async ({ pathParams }, { state }) => {
  const entries = await Promise.all(Array.from({ length: Number(pathParams.times) }, () => state.update('totals', 'n', [{ type: 'increment', path: 'value' }])));
  return { status: 200, body: { pid: process.pid, revisions: entries.map(({ revision }) => revision), values: entries.map(({ value }) => value.value) } };
};
`;
const TOTAL = `export const config = { name: 'Total', triggers: [{ type: 'http', method: 'GET', path: '/total' }] };
export const handler = async (_input, { state }) => ({ status: 200, body: { pid: process.pid, entry: await state.get('totals', 'n') } });
`;

interface Counted {
  readonly pid: number;
  readonly values: readonly number[];
  readonly revisions: readonly number[];
}

describe('state under concurrent updates', function () {
  this.timeout(120_000);
  afterEach(stopAllEngines);

  it('ends at 10,000 after 10,000 increments of one key from two workers, each of which saw a value of its own', async () => {
    const cwd = tempApplication({ 'steps/count.step.js': COUNT, 'steps/total.step.js': TOTAL, 'config.yaml': testConfig({ workers: 2 }) });
    const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
    const url = await engine.ready();
    const pids = new Set<number>();
    await waitUntil('both workers', async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => request('GET', `${url}/total`)));
      for (const { json } of answers) pids.add((json as Counted).pid);
      return pids.size === 2;
    });

    const answers = await Promise.all(Array.from({ length: 100 }, () => request('POST', `${url}/count/100`)));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    const counted = answers.map(({ json }) => json as Counted);
    expect(new Set(counted.map(({ pid }) => pid)).size, 'workers that took part').to.equal(2);
    expect(((await request('GET', `${url}/total`)).json as { entry: unknown }).entry).to.deep.equal({ value: 10_000 });
    expect(new Set(counted.flatMap(({ values }) => values)).size).to.equal(10_000);
    expect(new Set(counted.flatMap(({ revisions }) => revisions)).size).to.equal(10_000);
  });
});

import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { cleanEnvironment, cliProgram, EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { NODE_VERSIONS, nodeOfVersion } from '../support/node-binaries.js';
import { requireOrSkip } from '../support/requirement.js';
import { tempApplication } from '../support/temp-folder.js';
import { ON_EMBEDDED_STORE } from '../support/test-store.js';
import { waitUntil } from '../support/wait-until.js';

/** One Step for each building block; they meet in the state of a name. */
const APPLICATION = {
  'config.yaml': `modules:
  - { class: modules::http::HttpModule, config: { port: 0, max_event_loop_delay_ms: 60000 } }
  - { class: modules::steps::StepsModule, config: { port: false } }
`,
  'steps/visits.stream.ts': `import { z } from 'zod';
export const config = { name: 'visits', schema: z.object({ name: z.string() }) };
`,
  'steps/greet.step.ts': `import { http, step } from 'treadle';
export default step({ name: 'Greet', triggers: [http('POST', '/greet/:name')], enqueues: ['greeted'] }, async ({ pathParams: { name } }, { enqueue, streams }) => {
  await streams.visits.set('all', name, { name });
  await enqueue({ topic: 'greeted', data: { name } });
  return { status: 202, body: { node: process.version } };
});
`,
  'steps/count.step.ts': `import { queue, step } from 'treadle';
export default step({ name: 'Count', triggers: [queue('greeted')] }, async (data, { state }) => {
  await state.update('counts', (data as { name: string }).name, [{ type: 'increment', path: 'queue' }]);
});
`,
  'steps/tick.step.ts': `import { cron, step } from 'treadle';
export default step({ name: 'Tick', triggers: [cron('* * * * * *')] }, async (_, { state }) => {
  await state.update('counts', 'ticks', [{ type: 'increment', path: 'cron' }]);
});
`,
  'steps/report.step.ts': `import { http, step } from 'treadle';
export default step({ name: 'Report', triggers: [http('GET', '/report')] }, async (_, { state, streams }) => ({
  status: 200, body: { ada: await state.get('counts', 'ada'), ticks: await state.get('counts', 'ticks'), visits: await streams.visits.list('all') },
}));
`,
};

describe('the engine and the command line', function () {
  this.timeout(300_000);
  afterEach(() => stopAllEngines());

  for (const [major, version] of Object.entries(NODE_VERSIONS).filter(([of]) => Number(of) >= 20)) {
    it(`work on Node ${version}: HTTP, queue, state, stream and cron, also after a restart`, async function () {
      const node = nodeOfVersion(version);
      requireOrSkip(this, node !== undefined, `Node ${version} could not be installed from npm`);
      const cwd = tempApplication(APPLICATION);
      const start = (): EngineProcess => new EngineProcess({ cwd, args: ['--config', 'config.yaml'], ...node ? { node } : {} });
      const first = start();
      const url = await first.ready();
      const greeted = await waitUntil('an answer', async () => {
        const answer = await request('POST', `${url}/greet/ada`);
        return answer.status === 202 && answer;
      });
      expect(greeted.json).to.deep.equal({ node: `v${version}` });
      await waitUntil(`all blocks at work\n${first.output}`, async () => {
        const { ada, ticks, visits } = await reported(url);
        return ada?.queue === 1 && (ticks?.cron ?? 0) > 0 && visits.length === 1;
      });
      if (ON_EMBEDDED_STORE) expect(first.output).to.match(Number(major) >= 22 ? /"driver":"node:sqlite"/ : /"driver":"(better-sqlite3|libsql)"/);
      expect((await first.stop()).code, first.output).to.equal(0);
      expect(first.output, 'no warning of the runtime').to.not.match(/ExperimentalWarning|DeprecationWarning/);

      const second = start();
      const again = await second.ready();
      const { ada, visits } = await waitUntil('the report', () => reported(again).catch(() => undefined), 60_000);
      expect([ada, visits]).to.deep.equal([{ queue: 1 }, [{ name: 'ada' }]]);
      expect((await second.stop()).code).to.equal(0);
    });

    it(`check an application on Node ${version}`, function () {
      const node = nodeOfVersion(version);
      requireOrSkip(this, node !== undefined, `Node ${version} could not be installed from npm`);
      const { status, stdout, stderr } = spawnSync(node ?? '', [cliProgram(), 'check'], { cwd: tempApplication(APPLICATION), env: cleanEnvironment(), encoding: 'utf8' });
      expect(stdout + stderr).to.match(/4 Steps in 4 files: valid/);
      expect(status).to.equal(0);
    });
  }
});

interface Report {
  readonly ada: { readonly queue: number } | null;
  readonly ticks: { readonly cron: number } | null;
  readonly visits: readonly unknown[];
}

async function reported(url: string): Promise<Report> {
  const { status, json, text } = await request('GET', `${url}/report`);
  if (status !== 200) throw new Error(`the report answered ${status}: ${text}`);
  return json as Report;
}

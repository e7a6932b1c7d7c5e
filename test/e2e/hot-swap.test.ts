import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { EngineProcess, cliProgram, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { LoadClient } from '../support/load-client.js';
import { testConfig } from '../support/sample-steps.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const versioned = (version: string): string => `import { http, step } from 'treadle';

const version: string = '${version}';

export default step(
  { name: 'Versioned', triggers: [http('GET', '/version')] },
  async () => ({ status: 200, body: { version } }),
);
`;

describe('treadle dev', function () {
  this.timeout(120_000);
  afterEach(stopAllEngines);

  it('swaps a saved Step in without failing a concurrent request and keeps the last good version', async function () {
    const cwd = tempApplication({ 'steps/versioned.step.ts': versioned('one'), 'config.yaml': testConfig() });
    const file = join(cwd, 'steps/versioned.step.ts');
    const engine = new EngineProcess({ cwd, program: cliProgram(), args: ['dev', '--config', 'config.yaml'] });
    const url = await engine.ready();
    const current = async (): Promise<unknown> => ((await request('GET', `${url}/version`)).json as { version: string }).version;
    expect(await current()).to.equal('one');
    const load = new LoadClient({ url: `${url}/version`, connections: 8, pauseMs: 2 });

    const took: number[] = [];
    for (const version of ['two', 'three', 'four']) took.push(await swap(file, version, current));
    if (this.test) this.test.title += ` (${took.map((ms) => `${ms.toFixed(0)} ms`).join(', ')})`;

    writeFileSync(file, `${readFileSync(file, 'utf8')}const = 5;\n`);
    await waitUntil(`the place of the syntax error\n${engine.output}`, () => engine.output.includes('steps/versioned.step.ts:9:7'));
    expect(await current(), 'the last good version serves').to.equal('four');
    await swap(file, 'five', current);
    const results = await load.stop();
    expect(results.filter((r) => r.status !== 200), 'requests beside the swaps').to.deep.equal([]);

    writeFileSync(join(cwd, 'steps/late.step.js'), "export const config = { name: 'Late', triggers: [{ type: 'http', method: 'GET', path: '/late' }] };\nexport const handler = async () => ({ status: 200, body: 'late' });\n");
    await waitUntil('the added Step', async () => (await request('GET', `${url}/late`)).status === 200);
    expect((await engine.stop('SIGINT')).code).to.equal(0);
  });
});

/** Saves the file and gives the milliseconds until the new version answers. */
async function swap(file: string, version: string, current: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  writeFileSync(file, versioned(version));
  await waitUntil(`version ${version}`, async () => (await current()) === version);
  return performance.now() - began;
}

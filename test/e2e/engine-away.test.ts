import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@treadle/testing';
import { expect } from 'chai';
import { buildApplication } from '../support/built-application.js';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { requirePython } from '../support/require-python.js';
import { StepProcess, stopAllStepProcesses } from '../support/step-process.js';
import { tempApplication, tempFolder, writeFiles } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const TOKEN = 'a-token-that-only-this-test-knows';
const NODE_STEP = `import { http, step } from 'treadle';
export default step({ name: 'A', triggers: [http('GET', '/a')] }, () => ({ status: 200, body: 'a' }));
`;
const PYTHON_STEP = `from treadle import http

config = {"name": "B", "triggers": [http("GET", "/b")]}


def handler(input, ctx):
    return {"status": 200, "body": "b"}
`;

function keptBy({ dataDir }: EngineProcess): string {
  const file = join(dataDir, 'remote-steps.json');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

describe('an engine whose Step processes others start', function () {
  this.timeout(120_000);
  afterEach(async () => {
    await stopAllStepProcesses();
    await stopAllEngines();
  });

  it('answers 503, never 404, when it comes back before they do; they look for it every two seconds at least', async function () {
    const python = await requirePython(this);
    const [httpPort, workerPort, home] = [await freePort(), await freePort(), tempFolder()];
    writeFiles(home, { 'config.yaml': `modules:
  - class: modules::http::HttpModule
    config: { port: ${httpPort}, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { discover: false, port: ${workerPort} }
  - class: modules::stream::StreamModule
    config: { port: 0 }
  - class: modules::console::ConsoleModule
    config: { port: 0 }
` });
    const begin = (): EngineProcess => new EngineProcess({ cwd: home, args: ['--config', 'config.yaml'], env: { ENGINE_TOKEN: TOKEN } });
    const env = { ENGINE_URL: `ws://127.0.0.1:${workerPort}`, ENGINE_TOKEN: TOKEN };
    const app = tempApplication({ 'steps/a.step.ts': NODE_STEP, 'steps/b_step.py': PYTHON_STEP });
    buildApplication(app);
    const url = `http://127.0.0.1:${httpPort}`;
    const statuses = async (): Promise<string> => (await Promise.all(['/a', '/b'].map(async (path) =>
      (await request('GET', url + path).catch(() => undefined))?.status ?? 'refused'))).join(' ');
    const first = begin();
    await first.address('http');
    const processes = [
      new StepProcess({ command: process.execPath, args: ['dist/index-production.js'], cwd: app, env }),
      new StepProcess({ command: python, args: ['dist/index_production.py'], cwd: app, env }),
    ];
    await waitUntil('both Steps', async () => await statuses() === '200 200');
    // What it knows is on the disk a moment after it serves.
    await waitUntil('the Steps that it keeps', () => ['"A"', '"B"'].every((name) => keptBy(first).includes(name)));
    await first.stop('SIGKILL');
    const pauses = (output: string): number[] => [...output.matchAll(/next attempt in ([\d.]+) s/g)].map((match) => Number(match[1]));
    await waitUntil('pauses that grow no more', () => processes.every(({ output }) => pauses(output).length >= 7));
    for (const { output } of processes) expect(Math.max(...pauses(output)), output).to.be.at.most(2);
    const second = begin();
    const seen = new Set<string>();
    await waitUntil('both Steps again', async () => {
      const now = await statuses();
      seen.add(now);
      return now === '200 200';
    });
    expect([...seen].filter((one) => one.includes('404')), [...seen].join(', ')).to.deep.equal([]);
    for (const started of processes) await started.stop();
    await waitUntil('what health says', async () => {
      const { json } = await request('GET', `${url}/health`);
      const { status, checks } = json as { status: string; checks?: Record<string, { message: string }> };
      return status === 'degraded' && checks?.['modules::steps::StepsModule']?.message === 'no process serves Step "A" of app, Step "B" of app';
    });
    expect((await request('GET', `${url}/a`)).headers['retry-after']).to.be.a('string');
    expect(await statuses()).to.equal('503 503');
    await second.stop();
  });
});

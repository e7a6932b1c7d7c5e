import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';
import { EngineProcess, cleanEnvironment, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { NODE_VERSIONS, OLDEST_STEP_NODE, nodeOfVersion } from '../support/node-binaries.js';
import { installCopies, installPacked } from '../support/packed-packages.js';
import { requireOrSkip } from '../support/requirement.js';
import { tempFolder, writeFiles } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const TOKEN = 'a-token-that-only-this-test-knows';
const ENGINE = `modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { discover: false, port: 0 }
`;
const STEP = `import { getContext, http, step } from 'treadle';

export default step(
  { name: 'Runtime', triggers: [http('POST', '/runtime', { bodySchema: { type: 'object', required: ['word'], properties: { word: { type: 'string' } } } })] },
  async ({ body }) => ({ status: 200, body: { node: process.version, word: body.word, step: getContext().stepName } }),
);
`;

describe('a remote Step process from packed packages', function () {
  this.timeout(180_000);
  let cwd = '';
  let worker: ChildProcess | undefined;

  before(() => {
    cwd = tempFolder();
    writeFiles(cwd, { 'package.json': '{ "name": "remote", "private": true, "type": "module" }\n', 'steps/runtime.step.js': STEP });
    installPacked(cwd, { '@treadle/protocol': 'core/protocol', treadle: 'core/steps', '@treadle/worker': 'core/worker' });
    installCopies(cwd, ['ws', 'get-tsconfig', 'resolve-pkg-maps']);
  });
  afterEach(async () => {
    if (worker && worker.exitCode === null && worker.signalCode === null) {
      worker.kill('SIGKILL');
      await once(worker, 'exit');
    }
    await stopAllEngines();
  });

  for (const version of [OLDEST_STEP_NODE, NODE_VERSIONS[18]]) {
    it(`serves on Node ${version}, is replaced after its death and drains on SIGTERM`, async function () {
      const node = nodeOfVersion(version);
      requireOrSkip(this, node !== undefined, `Node ${version} could not be installed from npm`);
      const home = tempFolder();
      writeFiles(home, { 'config.yaml': ENGINE });
      const engine = new EngineProcess({ cwd: home, args: ['--config', 'config.yaml'], env: { ENGINE_TOKEN: TOKEN } });
      const url = await engine.ready();
      const channel = await engine.address('worker-tcp');
      const refused = await request('POST', `${url}/runtime`, { word: 'nobody' });
      expect(refused.status).to.equal(404);

      const serves = async (): Promise<void> => {
        const { json } = await waitUntil('an answer', async () => {
          const answer = await request('POST', `${url}/runtime`, { word: 'hi' });
          return answer.status === 200 && answer;
        });
        expect(json).to.deep.equal({ node: `v${version}`, word: 'hi', step: 'Runtime' });
      };
      worker = startWorker(node ?? '', channel);
      await serves();
      expect((await request('POST', `${url}/runtime`, { word: 5 })).json).to.include({ code: 'validation_failed' });

      worker.kill('SIGKILL');
      await once(worker, 'exit');
      worker = startWorker(node ?? '', channel);
      await serves();
      const ended = once(worker, 'exit');
      worker.kill('SIGTERM');
      expect((await ended)[0]).to.equal(0);
      expect((await engine.stop()).code).to.equal(0);
    });
  }

  function startWorker(node: string, channel: string): ChildProcess {
    const program = join(cwd, 'node_modules/@treadle/worker/bin/treadle-worker.js');
    return spawn(node, [program], {
      cwd, stdio: ['ignore', 'inherit', 'inherit'], env: { ...cleanEnvironment(), ENGINE_URL: channel, ENGINE_TOKEN: TOKEN },
    });
  }
});

import { expect } from 'chai';
import { EngineProcess } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { requirePython } from '../support/require-python.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const FILES = {
  'config.yaml': `modules:
  - { class: modules::http::HttpModule, config: { port: 0, max_event_loop_delay_ms: 60000 } }
  - { class: modules::steps::StepsModule, config: { port: 0, token: "\${HUSH_A}" } }
  - { class: modules::console::ConsoleModule, config: { port: 0, auth: { token: "\${HUSH_B}" } } }
`,
  'steps/n.step.js': `export const config = { name: 'N', triggers: [{ type: 'http', method: 'GET', path: '/n' }] };
export const handler = async () => ({ status: 200, body: Object.keys(process.env).filter((name) => name.startsWith('HUSH')) });
`,
  'steps/p_step.py': `import os
config = {"name": "P", "triggers": [{"type": "http", "method": "GET", "path": "/p"}]}
def handler(input, ctx):
    return {"status": 200, "body": [name for name in os.environ if name.startswith("HUSH")]}
`,
};
const TOKENS = { HUSH_A: 'worker-token-0123456789', HUSH_B: 'admin-token-01234567890', HUSH_COPY: 'worker-token-0123456789', HUSH_NOT: 'something else' };

describe('tokens of the engine in variables of any name', function () {
  this.timeout(120_000);
  let engine: EngineProcess | undefined;
  afterEach(() => engine?.stop());

  it('reach no Step, not even one in the process that boots while the configuration is read', async function () {
    await requirePython(this);
    engine = new EngineProcess({ cwd: tempApplication(FILES), args: ['--config', 'config.yaml'], env: TOKENS });
    const url = await engine.address('http');
    for (const path of ['/n', '/p']) {
      await waitUntil(path, async () => (await request('GET', `${url}${path}`)).status === 200);
      expect((await request('GET', `${url}${path}`)).json, path).to.deep.equal(['HUSH_NOT']);
    }
  });
});

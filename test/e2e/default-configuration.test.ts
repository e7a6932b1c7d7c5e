import { connect } from 'node:net';
import { expect } from 'chai';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { requireOrSkip } from '../support/requirement.js';
import { getStep } from '../support/sample-steps.js';
import { tempApplication } from '../support/temp-folder.js';

const THREE_STEPS = {
  'steps/hello.step.js': getStep('Hello', '/hello', "{ message: `hello ${req.queryParams.name ?? 'world'}` }"),
  'steps/nested/square.step.mjs': getStep('Square', '/square/:n', '{ result: Number(req.pathParams.n) ** 2 }'),
  'src/greet.step.ts': `import { http, step } from 'treadle';
import { z } from 'zod';

export default step(
  { name: 'Greet', triggers: [http('POST', '/greet', { bodySchema: z.object({ name: z.string().min(1) }) })] },
  async ({ body }) => ({ status: 201, body: { message: \`hello \${body.name}\` } }),
);
`,
};

describe('treadle-engine without arguments', function () {
  this.timeout(120_000);
  afterEach(stopAllEngines);

  it('serves three Step files without any configuration on port 3111', async function () {
    requireOrSkip(this, !(await inUse(3110)) && !(await inUse(3111)), 'ports 3110 and 3111 are in use');
    const engine = new EngineProcess({ cwd: tempApplication(THREE_STEPS), env: { WORKER_PORT: undefined } });
    const url = await engine.ready();
    expect(url).to.equal('http://127.0.0.1:3111');

    const health = await request('GET', `${url}/health`);
    expect([health.status, health.text]).to.deep.equal([200, '{"status":"ok"}']);
    expect((await request('GET', `${url}/hello?name=Ada`)).json).to.deep.equal({ message: 'hello Ada' });
    expect((await request('GET', `${url}/square/12`)).json).to.deep.equal({ result: 144 });
    const greeted = await request('POST', `${url}/greet`, { name: 'Grace' });
    expect([greeted.status, greeted.json]).to.deep.equal([201, { message: 'hello Grace' }]);
    expect((await request('POST', `${url}/greet`, { name: '' })).json).to.include({ code: 'validation_failed' });

    expect(await engine.stop('SIGINT')).to.deep.equal({ code: 0, signal: null });
  });
});

function inUse(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => { socket.destroy(); resolve(true); });
    socket.once('error', () => resolve(false));
  });
}

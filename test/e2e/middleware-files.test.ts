import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { buildApplication } from '../support/built-application.js';
import { EngineProcess, cliProgram, stopAllEngines, tells } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { requirePython } from '../support/require-python.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const YAML = (runtime: string, more = ''): string => `engine: { implicit_modules: false }
modules:
  - { class: modules::http::HttpModule, config: { port: 0, max_event_loop_delay_ms: 60000 } }
  - { class: modules::steps::StepsModule, config: { port: false${more}, runtimes: [{ class: modules::runtime::adapters::${runtime} }] } }
`;

const NODE = {
  'steps/guard.middleware.ts': `
import { HttpError, middleware } from 'treadle';
export default middleware(async (request, ctx, next) => {
  if (request.headers['x-key'] !== 'first') throw new HttpError(401, { error: 'a key is needed' });
  return next({ auth: { user: 'ada' } });
});
`,
  'steps/pay.step.js': `
import { http, step } from 'treadle';
const bodySchema = { type: 'object', required: ['amount'], properties: { amount: { type: 'integer' } } };
export default step({ name: 'Pay', triggers: [http('POST', '/pay', { bodySchema })] }, async ({ body }, { auth }) => ({ status: 200, body: [auth.user, body.amount] }));
`,
  'src/open.step.js': 'import { http, step } from "treadle"; export default step({ name: "Open", triggers: [http("POST", "/open")] }, async () => ({ status: 200, body: "open" }));',
};

const PYTHON = {
  'steps/guard_middleware.py': `
from treadle import HttpError


async def middleware(request, ctx, next):
    if request.headers.get("x-key") != "first":
        raise HttpError(401, {"error": "a key is needed"})
    return await next(auth={"user": "ada"})
`,
  'steps/pay_step.py': `
from treadle import http, step

schema = {"type": "object", "required": ["amount"], "properties": {"amount": {"type": "integer"}}}
step({"name": "Pay", "triggers": [http("POST", "/pay", body_schema=schema)]}, lambda input, ctx: {"status": 200, "body": [ctx.auth["user"], input.body["amount"]]})
`,
  'src/open_step.py': 'from treadle import http, step\nstep({"name": "Open", "triggers": [http("POST", "/open")]}, lambda: {"status": 200, "body": "open"})\n',
};

for (const { runtime, files, guard } of [
  { runtime: 'Node', files: NODE, guard: 'steps/guard.middleware.ts' }, { runtime: 'InProcess', files: NODE, guard: 'steps/guard.middleware.ts' },
  { runtime: 'Python', files: PYTHON, guard: 'steps/guard_middleware.py' },
]) {
  describe(`files of middleware, runtime ${runtime}`, function () {
    this.timeout(120_000);
    before(async function () {
      if (runtime === 'Python') await requirePython(this);
    });
    afterEach(stopAllEngines);
    const pay = async (url: string, key: string, body: unknown = { amount: 7 }): Promise<readonly [number, unknown]> => {
      // In development types are checked while it starts: the engine may be busy, and says so.
      return waitUntil('an engine that is not busy', async () => {
        const { status, json } = await request('POST', `${url}/pay`, body, { 'x-key': key });
        return (json as { readonly code?: string } | undefined)?.code === 'overloaded' ? undefined : [status, json] as const;
      });
    };

    it('guard the Steps around them before the body is judged, and are swapped while development goes on', async () => {
      const cwd = tempApplication({ ...files, 'config.yaml': YAML(runtime) });
      const engine = new EngineProcess({ cwd, program: cliProgram(), args: ['dev', '--config', 'config.yaml'] });
      const url = await engine.ready();
      expect((await pay(url, 'none', { amount: 'x' }))[0]).to.equal(401);
      expect((await pay(url, 'first', { amount: 'x' }))[0]).to.equal(400);
      expect(await pay(url, 'first')).to.deep.equal([200, ['ada', 7]]);
      expect((await request('POST', `${url}/open`)).json).to.equal('open');
      const text = readFileSync(join(cwd, guard), 'utf8');
      writeFileSync(join(cwd, guard), text.replaceAll('first', 'second'));
      await waitUntil('the new guard', async () => (await pay(url, 'second'))[0] === 200);
      expect((await pay(url, 'first'))[0]).to.equal(401);
      writeFileSync(join(cwd, guard), `${text}\n)(`);
      await waitUntil(`the fault\n${engine.output}`, () => engine.output.includes('STEP_SYNTAX'));
      expect([(await pay(url, 'second'))[0], (await pay(url, 'none'))[0]], 'the last good guard holds').to.deep.equal([200, 401]);
    });

    it('that cannot be loaded leave what they guard closed', async () => {
      const cwd = tempApplication({ ...files, [guard]: runtime === 'Python' ? 'raise ValueError("API_KEY is not set")' : 'throw new Error("API_KEY is not set");', 'config.yaml': YAML(runtime) });
      const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
      const url = await engine.ready();
      expect((await pay(url, 'first'))[0]).to.equal(503);
      expect((await request('POST', `${url}/open`)).json).to.equal('open');
      await tells(engine, 'API_KEY is not set');
    });
  });
}

describe('files of middleware in a build', function () {
  this.timeout(120_000);
  afterEach(stopAllEngines);

  it('guard what was built', async () => {
    const cwd = tempApplication({ ...NODE, 'config.yaml': YAML('Node') });
    buildApplication(cwd);
    const engine = new EngineProcess({ cwd, program: cliProgram(), args: ['start', '--config', 'config.yaml'] });
    const url = await engine.ready();
    const statuses = await Promise.all(['none', 'first'].map(async (key) => (await request('POST', `${url}/pay`, { amount: 7 }, { 'x-key': key })).status));
    expect(statuses).to.deep.equal([401, 200]);
  });
});

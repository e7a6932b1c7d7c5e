import { expect } from 'chai';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { requirePython } from '../support/require-python.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const YAML = (runtime: string): string => `engine: { implicit_modules: false }
modules:
  - { class: modules::http::HttpModule, config: { port: 0, max_event_loop_delay_ms: 60000, trust_proxy: [loopback], access_log: true } }
  - { class: modules::steps::StepsModule, config: { port: false, runtimes: [{ class: modules::runtime::adapters::${runtime} }] } }
`;

const NODE = {
  'steps/who.step.js': `
import { http, redirect, setCookie, step } from 'treadle';
export default step({ name: 'Who', triggers: [http('GET', '/who', { headersSchema: { type: 'object' } })] }, async ({ ip, cookies, headers }, ctx) => (
  { status: 200, body: [ip, cookies.a, ctx.ip, ctx.cookies.b] }));
`,
  'steps/leave.step.js': `
import { clearCookie, http, redirect, setCookie, step } from 'treadle';
export default step({ name: 'Leave', triggers: [http('POST', '/leave')] }, async () => redirect('/ö', 303, { 'set-cookie': [setCookie('a', 'x y'), clearCookie('b')] }));
`,
};

const PYTHON = {
  'steps/who_step.py': `
from treadle import http, step

step({"name": "Who", "triggers": [http("GET", "/who")]}, lambda input, ctx: {"status": 200, "body": [input.ip, input["cookies"]["a"], ctx.ip, ctx.cookies["b"]]})
`,
  'steps/leave_step.py': `
from treadle import http, redirect, step
from treadle.cookies import clear_cookie, set_cookie

step({"name": "Leave", "triggers": [http("POST", "/leave")]}, lambda: redirect("/ö", 303, {"set-cookie": [set_cookie("a", "x y"), clear_cookie("b")]}))
`,
};

for (const { runtime, files } of [{ runtime: 'Node', files: NODE }, { runtime: 'InProcess', files: NODE }, { runtime: 'Python', files: PYTHON }]) {
  describe(`cookies, redirects and addresses, runtime ${runtime}`, function () {
    this.timeout(120_000);
    before(async function () {
      if (runtime === 'Python') await requirePython(this);
    });
    afterEach(stopAllEngines);

    it('are what the request says and what the handler asks for', async () => {
      const engine = new EngineProcess({ cwd: tempApplication({ ...files, 'config.yaml': YAML(runtime) }), args: ['--config', 'config.yaml'] });
      const url = await engine.ready();
      const asked = await request('GET', `${url}/who`, undefined, { cookie: 'a=1%202; b="3"', 'x-forwarded-for': '6.6.6.6, 203.0.113.7' });
      expect(asked.json).to.deep.equal(['203.0.113.7', '1 2', '203.0.113.7', '3']);
      await waitUntil('the record of the request', () => engine.output.includes('203.0.113.7'));
      expect(engine.output).not.to.include('6.6.6.6');
      const sent = await request('POST', `${url}/leave`);
      expect([sent.status, sent.headers.location, sent.headers['set-cookie']]).to.deep.equal([
        303, '/%C3%B6', ['a=x%20y; Path=/; Secure; HttpOnly; SameSite=Lax', 'b=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax'],
      ]);
    });
  });
}

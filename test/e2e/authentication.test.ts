import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import type { StepResult } from '@treadle/api';
import { createTestComposition } from '@treadle/engine/testing';
import { buildApplication } from '../support/built-application.js';
import { cliProgram, EngineProcess, stopAllEngines, tells } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { requirePython } from '../support/require-python.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const YAML = (runtime: string): string => `engine: { implicit_modules: false }
modules:
  - { class: modules::http::HttpModule, config: { port: 0, max_event_loop_delay_ms: 60000 } }
  - { class: modules::steps::StepsModule, config: { port: false, runtimes: [{ class: modules::runtime::adapters::${runtime} }] } }
  - { class: modules::stream::StreamModule, config: { port: 0 } }
`;
const env = { API_KEY: 'the-key', SECRET: 'a secret of more than sixteen characters' };

const NODE = {
  'lib/guards.ts': `
import { apiKey, basic, bearer, sessionCookie } from 'treadle/auth';
export const key = apiKey({ keys: { shop: process.env.API_KEY } });
export const token = bearer({ secret: process.env.SECRET });
export const session = sessionCookie<{ user: string }>({ secret: process.env.SECRET });
export const password = basic({ users: { ada: process.env.API_KEY } });
`,
  'steps/in.step.ts': `
import { http, step } from 'treadle';
import { session } from '../lib/guards.js';
export default step({ name: 'In', triggers: [http('POST', '/in')] }, async () => ({ status: 204, headers: { 'set-cookie': session.begin({ user: 'ada' }) } }));
`,
  ...Object.fromEntries(['key', 'token', 'session', 'password'].map((guard) => [`steps/${guard}.step.ts`, `
import { http, step } from 'treadle';
import { ${guard} } from '../lib/guards.js';
export default step({ name: '${guard}', triggers: [http('GET', '/${guard}', { middleware: [${guard}] })] }, async (_request, { auth }) => ({ status: 200, body: auth }));
`])),
  'steps/main.stream-auth.ts': 'import { session } from "../lib/guards.js"; export const authenticate = session.authenticate;',
};

const PYTHON = {
  'guards.py': `
import os
from treadle.auth import api_key, basic, bearer, session_cookie

key = api_key(keys={"shop": os.environ.get("API_KEY")})
token = bearer(secret=os.environ.get("SECRET"))
session = session_cookie(secret=os.environ.get("SECRET"))
password = basic(users={"ada": os.environ.get("API_KEY")})
`,
  'steps/in_step.py': `
from guards import session
from treadle import http, step

step({"name": "In", "triggers": [http("POST", "/in")]}, lambda: {"status": 204, "headers": {"set-cookie": session.begin({"user": "ada"})}})
`,
  ...Object.fromEntries(['key', 'token', 'session', 'password'].map((guard) => [`steps/${guard}_step.py`, `
from guards import ${guard}
from treadle import http, step

step({"name": "${guard}", "triggers": [http("GET", "/${guard}", middleware=[${guard}])]}, lambda input, ctx: {"status": 200, "body": ctx.auth})
`])),
  'steps/main_stream_auth.py': 'from guards import session\n\nauthenticate = session.authenticate\n',
};

function token(claims: object): string {
  const signed = [{ alg: 'HS256' }, { exp: Date.now() / 1000 + 600, ...claims }].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${signed}.${createHmac('sha256', env.SECRET).update(signed).digest('base64url')}`;
}

for (const { runtime, files } of [{ runtime: 'Node', files: NODE }, { runtime: 'Python', files: PYTHON }]) {
  describe(`guards, runtime ${runtime}`, function () {
    this.timeout(120_000);
    const application = (): string => tempApplication({ ...files, 'config.yaml': YAML(runtime) });
    before(async function () {
      if (runtime === 'Python') await requirePython(this);
    });
    afterEach(stopAllEngines);

    it('let in who has a key, a token, a session or a password', async () => {
      const engine = new EngineProcess({ cwd: application(), args: ['--config', 'config.yaml'], env });
      const url = await engine.ready();
      const ask = async (path: string, headers: Record<string, string>): Promise<unknown> => {
        const { status, json } = await request('GET', `${url}/${path}`, undefined, headers);
        return status === 200 ? json : status;
      };
      expect(await ask('key', { 'x-api-key': 'the-key' })).to.deep.equal({ name: 'shop' });
      expect(await ask('token', { authorization: `Bearer ${token({ sub: 'ada' })}` })).to.include({ sub: 'ada' });
      expect(await ask('password', { authorization: `Basic ${Buffer.from('ada:the-key').toString('base64')}` })).to.deep.equal({ user: 'ada' });
      const cookie = (await request('POST', `${url}/in`)).headers['set-cookie']?.[0]?.split(';')[0] ?? '';
      expect(await ask('session', { cookie: `other=1; ${cookie}` })).to.deep.equal({ user: 'ada' });
      for (const path of ['key', 'token', 'session', 'password']) expect(await ask(path, { 'x-api-key': 'x', authorization: `Bearer ${token({ exp: 1 })}`, cookie: `${cookie}x` }), path).to.equal(401);
      expect((await request('GET', `${url}/token`)).headers['www-authenticate']).to.equal('Bearer');
    });

    it('are not made without their secrets', async () => {
      const cwd = application();
      const refused = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
      expect((await refused.exit).code, refused.output).to.equal(78);
      expect(refused.output).to.match(/ENVIRONMENT_INVALID[^]*guards\.\w+:\d+ {2}api_?key\(\): "keys\.shop" is not set; set the environment variable API_KEY\n/i);
      const engine = new EngineProcess({ cwd, program: cliProgram(), args: ['dev', '--config', 'config.yaml'] });
      const url = await engine.ready();
      await tells(engine, 'STEP_SECRET_MISSING', '"keys.shop" is not set; set the environment variable API_KEY');
      const { status, json } = await request('GET', `${url}/key`);
      expect({ status, json }).to.have.nested.property('json.message')
        .that.matches(/^(lib\/)?guards\.\w+:\d+: api_?key\(\): "keys\.shop" is not set; set the environment variable API_KEY$/i);
      expect(status).to.equal(503);
      expect(buildApplication(cwd).files.length).to.be.greaterThan(0);
    });

    it('say whose connection to streams it is', async () => {
      Object.assign(process.env, env);
      const test = await createTestComposition({ root: application(), yaml: YAML(runtime) });
      try {
        const url = await waitUntil('the Steps', () => test.engine.dispatch.invoker.servers('stream-auth') === 1 && test.engine.dispatch.invoker.servers('In') === 1);
        expect(url).to.equal(true);
        const authenticate = (headers: object): Promise<StepResult> => test.engine.dispatch.invoker.invoke({
          step: 'stream-auth', trigger: { type: 'stream.authentication', index: 0 }, input: { hook: 'authenticate', request: { headers, query: {}, url: '/', ip: '::1' } },
          traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: false, timeoutMs: 30_000, attempt: 1, lane: 'request', waitMs: 30_000,
        });
        const { sessionCookie } = await import('treadle/auth');
        const [cookie] = sessionCookie({ secret: env.SECRET }).begin({ user: 'bob' }).split(';');
        expect((await authenticate({ cookie })).value).to.deep.equal({ user: 'bob' });
        expect((await authenticate({})).value ?? null).to.equal(null);
      } finally {
        await test.stop();
        for (const name of Object.keys(env)) delete process.env[name];
      }
    });
  });
}

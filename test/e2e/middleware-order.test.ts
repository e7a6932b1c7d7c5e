import { expect } from 'chai';
import { EngineProcess } from '../support/engine-process.js';
import { requirePython } from '../support/require-python.js';
import { tempApplication } from '../support/temp-folder.js';

const YAML = (runtimes: string): string => `engine: { implicit_modules: false }
modules:
  - { class: modules::http::HttpModule, config: { port: 0, max_event_loop_delay_ms: 60000 } }
  - { class: modules::steps::StepsModule, config: { port: false, runtimes: [${runtimes}] } }
`;

const NODE = {
  'steps/pay.step.js': `
import { http, HttpError, step } from 'treadle';
const guard = async (request, ctx, next) => {
  if (request.headers['x-key'] !== 'k') throw new HttpError(401, { error: 'a key is needed' });
  return next({ auth: { user: 'ada' } });
};
const count = { run: async (request, ctx, next) => ({ ...(await next()), headers: { 'x-amount': String(request.body.amount * 2) } }), after: 'validation' };
const bodySchema = { type: 'object', required: ['amount'], properties: { amount: { type: 'integer' } } };
export default step({ name: 'Pay', triggers: [http('POST', '/pay', { bodySchema, middleware: [guard, count] })] }, async ({ body }, { auth }) => ({ status: 200, body: { ...body, by: auth.user } }));
`,
};

const PYTHON = {
  'steps/pay_step.py': `
from treadle import HttpError, http


async def guard(request, ctx, next):
    if request.headers.get("x-key") != "k":
        raise HttpError(401, {"error": "a key is needed"})
    return await next(auth={"user": "ada"})


async def count(request, ctx, next):
    return {**await next(), "headers": {"x-amount": str(request.body["amount"] * 2)}}

schema = {"type": "object", "required": ["amount"], "properties": {"amount": {"type": "integer"}}}
config = {"name": "Pay", "triggers": [http("POST", "/pay", body_schema=schema, middleware=[guard, {"run": count, "after": "validation"}])]}


async def handler(input, ctx):
    return {"status": 200, "body": {**input.body, "by": ctx.auth["user"]}}
`,
};

const LANGUAGES = [
  { name: 'Node.js', files: NODE, runtimes: '{ class: modules::runtime::adapters::Node }' },
  { name: 'Node.js inside the engine', files: NODE, runtimes: '{ class: modules::runtime::adapters::InProcess }' },
  { name: 'Python', files: PYTHON, runtimes: '{ class: modules::runtime::adapters::Python }' },
];

for (const { name, files, runtimes } of LANGUAGES) {
  describe(`middleware before validation, ${name}`, function () {
    this.timeout(120_000);
    let engine: EngineProcess;
    let url: string;
    before(async function () {
      if (name === 'Python') await requirePython(this);
      engine = new EngineProcess({ cwd: tempApplication({ ...files, 'config.yaml': YAML(runtimes) }), args: ['--config', 'config.yaml'] });
      url = await engine.ready();
    });
    after(() => engine?.stop());
    const pay = (body: string, key?: string): Promise<Response> => fetch(`${url}/pay`, {
      method: 'POST', body, headers: { 'content-type': 'application/json', ...(key !== undefined && { 'x-key': key }) },
    });

    it('refuses who has no key, whatever the body is', async () => {
      for (const body of ['{"amount":"x"}', '{', '{"amount":1}']) expect((await pay(body)).status, body).to.equal(401);
    });

    it('tells who has one what is wrong with the body', async () => {
      const refused = await pay('{"amount":"x"}', 'k');
      expect(refused.status).to.equal(400);
      const { code, issues } = await refused.json() as { code: string; issues: object[] };
      expect(code).to.equal('validation_failed');
      expect(issues).to.have.length(1);
      expect(issues[0]).to.include({ in: 'body', path: 'amount' });
      expect(await (await pay('{', 'k')).json()).to.include({ code: 'invalid_json' });
    });

    it('lets a valid request through, and to what comes after validation', async () => {
      const answer = await pay('{"amount":21}', 'k');
      expect([answer.status, answer.headers.get('x-amount')]).to.deep.equal([200, '42']);
      expect(await answer.json()).to.deep.equal({ amount: 21, by: 'ada' });
    });
  });
}

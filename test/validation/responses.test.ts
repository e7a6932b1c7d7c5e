import { expect } from 'chai';
import { EngineProcess } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { requirePython } from '../support/require-python.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const SCHEMA = "{ type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } }";
const TYPESCRIPT = `import { http, step } from 'treadle';
const guard = async ({ headers, query }, _ctx, next) => {
  if (headers.guard === 'closed') return { status: 401, body: 'not you' };
  const result = await next();
  if (headers.guard === 'renames') return { ...result, headers: { 'x-seen': '1' } };
  return headers.guard === 'replaces' ? { status: 200, body: 'something else' } : result;
};
const schema = ${SCHEMA};
const asked = (kind, more) => http('GET', '/a-' + kind + '/:kind', { middleware: guard, responseSchema: { 200: schema, 401: schema, 404: schema }, ...more });
export default step(
  { name: 'A', triggers: [http('GET', '/a/:kind', { middleware: guard, bodySchema: schema, responseSchema: { 200: schema, 401: schema, 404: schema } }),
    asked('all', { validateMiddleware: true }), asked('warn', { responseValidation: 'warn' })] },
  async ({ pathParams: { kind } }) => kind === 'bare' ? { status: 404 } : kind === 'empty' ? { status: 200 } : { status: Number(kind), body: kind === '200' ? { ok: true } : { no: 1 } },
);
`;
const PYTHON = `schema = {"type": "object", "required": ["ok"], "properties": {"ok": {"type": "boolean"}}}
async def guard(request, ctx, call_next):
    guard = request.headers.get("guard")
    if guard == "closed":
        return {"status": 401, "body": "not you"}
    result = await call_next()
    if guard == "renames":
        return {**result, "headers": {"x-seen": "1"}}
    return {"status": 200, "body": "something else"} if guard == "replaces" else result
config = {"name": "P", "triggers": [{"type": "http", "method": "GET", "path": "/p/:kind", "middleware": guard, "body_schema": schema,
    "response_schema": {200: schema, 401: schema, 404: schema}}]}
def asked(kind, **more):
    return {"type": "http", "method": "GET", "path": f"/p-{kind}/:kind", "middleware": guard, "response_schema": {200: schema, 401: schema, 404: schema}, **more}
config["triggers"] += [asked("all", validate_middleware=True), asked("warn", response_validation="warn")]
async def handler(input, ctx):
    kind = input.path_params["kind"]
    if kind in ("bare", "empty"):
        return {"status": 404 if kind == "bare" else 200}
    return {"status": int(kind), "body": {"ok": True} if kind == "200" else {"no": 1}}
`;
const CONFIG = `modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: false }
`;

describe('the responseSchema of a trigger', function () {
  this.timeout(120_000);
  let engine: EngineProcess;
  let url: string;
  before(async function () {
    await requirePython(this);
    engine = new EngineProcess({ cwd: tempApplication({ 'steps/a.step.ts': TYPESCRIPT, 'steps/p_step.py': PYTHON, 'config.yaml': CONFIG }), args: ['--config', 'config.yaml'] });
    url = await engine.address('http');
    for (const path of ['/a/200', '/p/200']) await waitUntil(path, async () => (await request('GET', `${url}${path}`)).status === 200);
  });
  after(() => engine.stop());

  for (const [language, path] of [['TypeScript', '/a'], ['Python', '/p']] as const) {
    const at = async (route: string, guard = ''): Promise<number> => (await request('GET', `${url}${route}`, undefined, { guard })).status;
    const status = (kind: string, guard = ''): Promise<number> => at(`${path}/${kind}`, guard);
    const logged = (message: string): readonly unknown[] => engine.output.split('\n').filter((line) => line.includes(message) && line.includes(`GET ${path}`))
      .map((line) => JSON.parse(line) as { level: string; stepName: string; route: string; error: string })
      .map(({ level, stepName, route, error }) => [level, stepName, route, error]);

    it(`judges what the handler gave back, also behind middleware, in ${language}`, async () => {
      expect([await status('200'), await status('404'), await status('empty')]).to.deep.equal([200, 500, 500]);
      expect([await status('200', 'renames'), await status('404', 'renames')]).to.deep.equal([200, 500]);
    });

    it(`leaves alone what middleware answers by itself, and a bare error status, in ${language}`, async () => {
      expect([await status('200', 'closed'), await status('200', 'replaces'), await status('bare')]).to.deep.equal([401, 200, 404]);
    });

    it(`judges middleware's answers too where the trigger asks, but no bare error status, in ${language}`, async () => {
      expect([await at(`${path}-all/200`), await at(`${path}-all/200`, 'closed'), await at(`${path}-all/200`, 'replaces'), await at(`${path}-all/bare`)]).to.deep.equal([200, 500, 500, 404]);
    });

    it(`names Step and route of a result that does not fit, refused or sent, in ${language}`, async () => {
      expect([await status('404'), await at(`${path}-warn/404`)]).to.deep.equal([500, 404]);
      const error = 'the body does not fit the responseSchema of 404: ok: is required';
      const name = path === '/a' ? 'A' : 'P';
      await waitUntil('the log', () => logged('a result does not fit').length > 0);
      expect(logged('a result does not fit')[0]).to.deep.equal(['warn', name, `GET ${path}-warn/:kind`, error]);
      expect(logged('unusable result')[0]).to.deep.equal(['error', name, `GET ${path}/:kind`, error]);
    });

    it(`lets a GET without a body pass its bodySchema, and no other body, in ${language}`, async () => {
      expect((await request('GET', `${url}${path}/200`)).status).to.equal(200);
      expect((await request('GET', `${url}${path}/200`, { ok: 'yes' })).status).to.equal(400);
    });
  }
});

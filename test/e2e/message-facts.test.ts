import { expect } from 'chai';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { requirePython } from '../support/require-python.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const YAML = (runtime: string): string => `modules:
  - { class: modules::http::HttpModule, config: { port: 0, max_event_loop_delay_ms: 60000 } }
  - { class: modules::steps::StepsModule, config: { port: false, runtimes: [{ class: modules::runtime::adapters::${runtime} }] } }
`;

const NODE = {
  'steps/send.step.js': `
import { http, step } from 'treadle';
export default step({ name: 'Send', triggers: [http('POST', '/send')], enqueues: ['t'] }, async (_r, { enqueue, message }) => (
  { status: 200, body: [await enqueue([{ topic: 't', data: 1, headers: { 'a"b': 'ü' } }, { topic: 't', data: 2 }]), message ?? null] }));
`,
  'steps/take.step.js': `
import { queue, step } from 'treadle';
export default step({ name: 'Take', triggers: [queue('t')] }, async (data, { message, now, state }) => state.set('seen', String(data), { ...message, age: now() - message.enqueuedAt }));
`,
  'steps/show.step.js': 'import { http, step } from "treadle"; export default step({ name: "Show", triggers: [http("GET", "/seen/:n")] }, async ({ pathParams }, { state }) => ({ status: 200, body: await state.get("seen", pathParams.n) }));',
};

const PYTHON = {
  'steps/send_step.py': `
from treadle import http, step


@step({"name": "Send", "triggers": [http("POST", "/send")], "enqueues": ["t"]})
async def handler(input, ctx):
    sent = await ctx.enqueue([{"topic": "t", "data": 1, "headers": {'a"b': "ü"}}, {"topic": "t", "data": 2}])
    return {"status": 200, "body": [sent, ctx.message]}
`,
  'steps/take_step.py': `
from treadle import queue, step


@step({"name": "Take", "triggers": [queue("t")]})
def handler(data, ctx):
    message = ctx.message
    seen = {"id": message.id, "topic": message.topic, "headers": message.headers, "attempt": message.attempt, "age": ctx.now() - message.enqueued_at}
    ctx.state.set("seen", str(data), seen)
`,
  'steps/show_step.py': 'from treadle import http, step\nstep({"name": "Show", "triggers": [http("GET", "/seen/:n")]}, lambda input, ctx: {"status": 200, "body": ctx.state.get("seen", input.path_params["n"])})\n',
};

for (const { runtime, files } of [{ runtime: 'Node', files: NODE }, { runtime: 'InProcess', files: NODE }, { runtime: 'Python', files: PYTHON }]) {
  describe(`what a handler knows of its message, runtime ${runtime}`, function () {
    this.timeout(120_000);
    before(async function () {
      if (runtime === 'Python') await requirePython(this);
    });
    afterEach(stopAllEngines);

    it('is its id, topic, headers, attempt and when it was enqueued', async () => {
      const engine = new EngineProcess({ cwd: tempApplication({ ...files, 'config.yaml': YAML(runtime) }), args: ['--config', 'config.yaml'] });
      const url = await engine.ready();
      const [sent, none] = (await request('POST', `${url}/send`)).json as [readonly { messageId: string }[], unknown];
      expect(none).to.equal(null);
      const seen = (n: number) => waitUntil(`message ${n}`, async () => ((await request('GET', `${url}/seen/${n}`)).json as { age: number } | null) ?? undefined);
      const [first, second] = [await seen(1), await seen(2)];
      expect(first).to.deep.include({ id: sent[0]?.messageId, topic: 't', headers: { 'a"b': 'ü' }, attempt: 1 });
      expect(second).to.deep.include({ id: sent[1]?.messageId, headers: {} });
      expect(first.age).to.be.within(-5_000, 60_000);
    });
  });
}

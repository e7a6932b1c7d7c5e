import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { StepsPort } from '@treadle/api';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import { findPython, PYTHON_PATH } from '@treadle/runtime-python';
import { request as json } from '../support/http-client.js';
import { tempApplication, writeFiles } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

/** In-memory storage, free ports; the runtimes are what they are by default. */
const YAML = `modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: 0 }
  - class: modules::queue::QueueModule
    config: { adapter: { class: modules::queue::adapters::Sqlite, config: { store_method: in_memory } } }
  - class: modules::state::StateModule
    config: { adapter: { class: modules::state::adapters::Sqlite, config: { store_method: in_memory } } }
  - class: modules::stream::StreamModule
    config: { port: 0, adapter: { class: modules::stream::adapters::Sqlite, config: { store_method: in_memory } } }
  - { class: modules::cron::CronModule, enabled: false }
  - { class: modules::console::ConsoleModule, enabled: false }
`;

/** TypeScript answers a request, Python takes its message, JavaScript ends what both began. */
const MIXED = {
  'steps/order.step.ts': `import { http, step } from 'treadle';
export default step({ name: 'Order', triggers: [http('POST', '/orders')], enqueues: ['order.placed'] }, async (input, ctx) => {
  await ctx.enqueue({ topic: 'order.placed', data: { id: (input.body as { id: string }).id, trace: ctx.traceId } });
  return { status: 202 };
});
`,
  'steps/price_step.py': `from treadle import queue, step

async def handler(order, ctx):
    assert ctx.trace_id == order["trace"] and ctx.attempt == 1
    await ctx.state.set("orders", order["id"], {"price": 3, "by": "python"})
    await ctx.enqueue({"topic": "order.priced", "data": {**order, "traces": [ctx.trace_id]}})

step({"name": "Price", "triggers": [queue("order.placed")], "enqueues": ["order.priced"]}, handler)
`,
  'steps/ship.step.js': `export const config = { name: 'Ship', triggers: [{ type: 'queue', topic: 'order.priced' }] };
export const handler = async (order, ctx) => {
  await ctx.state.update('orders', order.id, [{ type: 'set', path: 'traces', value: [...order.traces, ctx.traceId] }]);
};
`,
  'steps/orders_step.py': `config = {"name": "Orders", "triggers": [{"type": "http", "method": "GET", "path": "/orders/:id"}]}

def handler(input, ctx):
    order = ctx.state.get("orders", input.path_params["id"])
    return {"status": 404} if order is None else {"status": 200, "body": order}
`,
};

const PYTHON = {
  'steps/tickets/_store.py': 'GROUP = "tickets"\n',
  'steps/tickets/create_step.py': `from treadle import get_context
from ._store import GROUP

config = {
    "name": "Create", "enqueues": ["ticket.created"],
    "triggers": [{
        "type": "http", "method": "POST", "path": "/tickets",
        "body_schema": {"type": "object", "required": ["title"], "properties": {"title": {"type": "string", "minLength": 1}}},
        "response_schema": {201: {"type": "object", "required": ["id"]}, 400: {"type": "object"}},
    }],
}

async def handler(input, ctx):
    ticket = {"id": ctx.trace_id, **input.body}
    await ctx.state.set(GROUP, ticket["id"], ticket)
    await ctx.streams.board.set("all", ticket["id"], {"status": "open"})
    get_context().logger.info("created", {"id": ticket["id"]})
    print("printed")
    return {"status": 201, "body": ticket, "headers": {"x-made-by": "python"}}
`,
  'src/board_stream.py': 'config = {"name": "board", "schema": {"type": "object", "required": ["status"]}}\n',
  'steps/errors_step.py': `from treadle import NonRetryableError, RetryAfter, sse
import asyncio

config = {"name": "Errors", "triggers": [
    {"type": "http", "method": "GET", "path": "/errors/:kind"}, {"type": "http", "method": "GET", "path": "/slow", "timeout_ms": 500},
]}

async def handler(input, ctx):
    kind = input.path_params.get("kind", "slow")
    if kind == "raise": raise ValueError("the secret reason")
    if kind == "shape": return "text"
    if kind == "slow": await asyncio.sleep(5)
    if kind == "stream": await ctx.streams.board.set("all", "x", {"no": "status"})
    if kind == "sse":
        async def events(send):
            for number in range(3): await send({"number": number}, id=str(number))
        return sse(events)
    return {"status": 200, "body": b"bytes", "headers": {"content-type": "image/png"}}
`,
  'steps/retry_step.py': `from treadle import NonRetryableError, RetryAfter
config = {
    "name": "Retry", "triggers": [{"type": "queue", "topic": "work", "config": {"max_attempts": 3, "backoff": {"type": "fixed", "delay_ms": 1}}},
                                  {"type": "state", "group": "changes"}],
}

def handler(input, ctx):
    if ctx.is_.state(): return ctx.logger.info("changed", {"old": input.old_value, "new": input["newValue"]})
    ctx.state.update("runs", input["how"], [{"type": "increment", "path": "count"}])
    if input["how"] == "never": raise NonRetryableError("no")
    if ctx.attempt < 3: raise RetryAfter(1)
`,
  'steps/start_step.py': `config = {"name": "Start", "enqueues": ["work"], "triggers": [{"type": "http", "method": "POST", "path": "/work"}]}

def handler(input, ctx):
    ctx.state.set("changes", "k", input.body)
    return {"status": 200, "body": ctx.enqueue([{"topic": "work", "data": {"how": how}} for how in input.body])}
`,
  'steps/runs_step.py': `config = {"name": "Runs", "triggers": [{"type": "http", "method": "GET", "path": "/runs"}]}

async def handler(input, ctx):
    return {"status": 200, "body": {entry["key"]: entry["value"]["count"] for entry in (await ctx.state.list("runs"))["items"]}}
`,
};

describe('an application with Python Steps', function () {
  this.timeout(120_000);
  let test: TestComposition | undefined;
  afterEach(async () => {
    await test?.stop();
    test = undefined;
  });
  const start = async (files: Readonly<Record<string, string>>, options: { yaml?: string; mode?: 'development' } = {}): Promise<TestComposition> => {
    test = await createTestComposition({ root: tempApplication(files), yaml: YAML, ...options });
    const { engine } = test;
    await waitUntil('settled workers', () => engine.health.report().status !== 'starting');
    return test;
  };
  const diagnostics = (engine: TestComposition): readonly string[] =>
    (engine.engine.port(StepsPort)?.diagnostics() ?? []).filter(({ severity }) => severity === 'error')
      .map(({ code, file, line, message, remedy }) => `${file}:${line ?? '-'} ${code} ${message} (${remedy})`);

  it('shares messages, state and one trace with Steps of other languages', async () => {
    const engine = await start(MIXED);
    expect(diagnostics(engine)).to.deep.equal([]);
    const url = engine.url('http');
    const placed = await json('POST', `${url}/orders`, { id: '7' });
    expect(placed.status).to.equal(202);
    const order = await waitUntil('the order', async () => {
      const { status, json: body } = await json('GET', `${url}/orders/7`);
      const value = status === 200 ? body as { traces?: string[] } : undefined;
      return value?.traces ? value : undefined;
    });
    const trace = placed.headers['x-trace-id'];
    expect(order).to.deep.equal({ price: 3, by: 'python', traces: [trace, trace] });
  });

  it('answers requests as its schemas and results say', async () => {
    const engine = await start(PYTHON);
    expect(diagnostics(engine)).to.deep.equal([]);
    const url = engine.url('http');
    const made = await json('POST', `${url}/tickets`, { title: 'a' });
    expect([made.status, made.headers['x-made-by'], made.json]).to.deep.equal([201, 'python', { id: made.headers['x-trace-id'], title: 'a' }]);
    const refused = await json('POST', `${url}/tickets`, { title: '' });
    expect([refused.status, (refused.json as { code: string }).code]).to.deep.equal([400, 'validation_failed']);
    const answers = await Promise.all(['raise', 'shape', 'slow', 'stream', 'sse', 'bytes'].map((kind) => json('GET', `${url}/${kind === 'slow' ? kind : `errors/${kind}`}`)));
    expect(answers.map(({ status }) => status)).to.deep.equal([500, 500, 504, 500, 200, 200]);
    expect(answers.slice(0, 3).map((answer) => (answer.json as { code: string }).code)).to.deep.equal(['unhandled_exception', 'invalid_handler_result', 'handler_timeout']);
    expect(answers[0]?.text).to.not.contain('secret');
    expect(answers[4]?.text).to.equal('id: 0\ndata: {"number":0}\n\nid: 1\ndata: {"number":1}\n\nid: 2\ndata: {"number":2}\n\n');
    expect([answers[5]?.headers['content-type'], answers[5]?.text]).to.deep.equal(['image/png', 'bytes']);
    const said = (message: string): Promise<object> => waitUntil(message, () => engine.logs.find((record) => record.message === message));
    expect(await said('created')).to.deep.include({ stepName: 'Create', traceId: made.headers['x-trace-id'], level: 'info' });
    expect(await said('printed')).to.deep.include({ stepName: 'Create', traceId: made.headers['x-trace-id'] });
  });

  it('tries messages again as it is told to, and hears of changes', async () => {
    const engine = await start(PYTHON);
    const url = engine.url('http');
    expect((await json('POST', `${url}/work`, ['never', 'thrice'])).json).to.have.length(2);
    await waitUntil('all attempts', async () => (await json('GET', `${url}/runs`)).text === '{"never":1,"thrice":3}');
    await waitUntil('the change', () => engine.logs.some(({ message }) => message === 'changed'));
    expect(engine.logs.find(({ message }) => message === 'changed')?.fields).to.deep.include({ old: null, new: ['never', 'thrice'] });
  });

  it('swaps a saved Step and what it imports, and keeps a good version of a broken one', async () => {
    const engine = await start(PYTHON, { mode: 'development' });
    const url = engine.url('http');
    const route = async (path: string): Promise<string> => {
      const { status, text } = await json('GET', `${url}${path}`);
      return `${status} ${text}`;
    };
    const good = 'from lib.words import word\nconfig = {"name": "New", "triggers": [{"type": "http", "method": "GET", "path": "/new"}]}\n\ndef handler(): return {"status": 200, "body": word}\n';
    writeFiles(engine.root, { 'lib/words.py': 'word = 1\n', 'steps/new_step.py': good });
    await waitUntil('the new Step', async () => await route('/new') === '200 1');
    writeFiles(engine.root, { 'lib/words.py': 'word = 2\n' });
    await waitUntil('the new import', async () => await route('/new') === '200 2');
    writeFiles(engine.root, { 'steps/new_step.py': 'config = {\n' });
    await waitUntil('the problem', () => diagnostics(engine).length === 1);
    expect(diagnostics(engine)).to.deep.equal(['steps/new_step.py:1 STEP_SYNTAX \'{\' was never closed (correct the syntax)']);
    expect(await route('/new')).to.equal('200 2');
    rmSync(join(engine.root, 'steps/new_step.py'));
    await waitUntil('its end', async () => (await route('/new')).startsWith('404'));
  });

  it('says of each file that Python is missing or too old, and serves the others', async () => {
    const runtimes = '{ class: modules::runtime::adapters::Node }, { class: modules::runtime::adapters::Python, config: { python: no-such-python } }';
    const engine = await start(MIXED, { yaml: YAML.replace('config: { port: 0 }\n  - class: modules::queue', `config: { port: 0, runtimes: [${runtimes}] }\n  - class: modules::queue`) });
    await waitUntil('the diagnostics', () => diagnostics(engine).length === 2);
    expect(diagnostics(engine)[0]).to.equal('steps/orders_step.py:1 STEP_NO_INTERPRETER Python 3.10 or newer is needed; "python" names no-such-python, which does not exist '
      + '(install Python 3.10 or newer, or name one by "python" in the config of modules::runtime::adapters::Python)');
    expect((await json('POST', `${engine.url('http')}/orders`, { id: '7' })).status).to.equal(202);
  });

  it('is served by a process that was started by hand as well', async () => {
    const engine = await start({ 'steps/a.step.js': MIXED['steps/ship.step.js'] });
    const far = tempApplication({ 'steps/far_step.py': 'import os\nconfig = {"name": "Far", "triggers": [{"type": "http", "method": "GET", "path": "/far"}]}\n\ndef handler(): return {"status": 200, "body": [os.getpid(), "ADMIN_TOKEN" in os.environ]}\n' });
    const found = await findPython({ root: far });
    if ('problem' in found) throw new Error(found.problem);
    const data = engine.dataDir;
    expect(existsSync(join(data, 'worker.token'))).to.equal(true);
    const worker = spawn(found.command, ['-m', 'treadle.worker', far], {
      env: { ...process.env, PYTHONPATH: PYTHON_PATH, PYTHONDONTWRITEBYTECODE: '1', TREADLE_DATA_DIR: data, ENGINE_URL: engine.url('worker-tcp'), ADMIN_TOKEN: 'x' }, stdio: 'ignore',
    });
    const ended = new Promise((resolve) => { worker.once('exit', resolve); });
    try {
      await waitUntil('the Step', () => engine.engine.dispatch.invoker.servers('Far') === 1);
      expect((await json('GET', `${engine.url('http')}/far`)).text).to.equal(`[${worker.pid},false]`);
      worker.kill('SIGTERM');
      expect(await ended).to.equal(0);
      await waitUntil('its end', () => engine.engine.dispatch.invoker.servers('Far') === 0);
    } finally {
      worker.kill('SIGKILL');
    }
  });
});

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { WorkerMessage } from '@treadle/protocol';
import { discoverStepFiles } from '@treadle/worker/discover';
import { goldenLines, type Line, ScriptedEngine } from './conversation.fixture.js';
import { PYTHON_PATH } from './python-package.js';
import { makeApplication } from './runtime.fixture.js';

const CONFIG = `config = {
  "name": "GetTicket", "enqueues": ["ticket.created"], "flows": ["tickets"],
  "triggers": [{"type": "http", "method": "GET", "path": "/tickets/:id"}],
}
`;
const handler = (body: string): string => `import asyncio\n${CONFIG}\nasync def handler(input, ctx):\n${body.split('\n').map((line) => `  ${line}`).join('\n')}\n`;

/** How a Python application says what the conversation has its worker say. */
interface Play {
  readonly files: Readonly<Record<string, string>>;
  /** Lines to leave out: what no handler can bring about at that place. */
  readonly without?: readonly number[];
  /** How many lines; default: all. */
  readonly lines?: number;
  /** OpenTelemetry's API is installed. Measurements are sent once a second: they come after the result. */
  readonly hasOpenTelemetry?: true;
  /** Changes what the engine says. */
  readonly engine?: (frame: string) => string;
}

/** Stands in for pydantic: the root is the first place where imports are looked for. */
const PYDANTIC = `class Refused(ValueError):
  def errors(self, **_): return [{"loc": ("title",), "msg": "Too small", "type": "too_small"}]
class TypeAdapter:
  def __init__(self, schema): pass
  def json_schema(self, **_): return {}
  def validate_python(self, value):
    if value == {"title": "short"}: raise Refused()
    return value
`;

const PLAYS: Readonly<Record<string, Play>> = {
  'bad-token': { files: { 'steps/a_step.py': handler('pass') } },
  'wrong-version': { files: { 'steps/a_step.py': handler('pass') } },
  heartbeat: { files: { 'steps/a_step.py': handler('pass') }, engine: (frame) => frame.replace('"heartbeatMs":5000', '"heartbeatMs":50') },
  calls: {
    files: {
      'steps/a_step.py': handler('calls = [ctx.state.get("tickets", "1"), ctx.enqueue({"topic": "ticket.created", "data": {"id": "1"}})]\n'
        + 'value, refused = await asyncio.gather(*calls, return_exceptions=True)\n'
        + 'assert value is None and refused.code == "OPERATION_UNAVAILABLE"\nreturn {"status": 503}'),
    },
  },
  cancel: { files: { 'steps/a_step.py': handler('await ctx.signal.wait()\nctx.signal.throw_if_aborted()') } },
  declarations: {
    files: {
      'src/board_stream.py': '\n\nconfig = {"name": "board", "schema": {"type": "object", "properties": {"status": {"type": "string"}}},\n'
        + '  "can_access": lambda subscription, auth: subscription.group_id == "g" and auth == {"userId": "u1"},\n'
        + '  "on_join": lambda subscription: None}\n',
      'src/main_stream_auth.py': 'async def authenticate(request):\n  return {"userId": "u" + request.headers["cookie"][-1]}\n',
    },
  },
  drain: { files: { 'steps/a_step.py': handler('await asyncio.sleep(0.05)') } },
  errors: {
    files: {
      'pydantic.py': PYDANTIC,
      'steps/a_step.py': 'from treadle import NonRetryableError, RetryAfter\nclass Title: pass\n' + handler('if input.path_params["id"] == "1": raise TypeError("no such ticket")\n'
        + 'if input.path_params["id"] == "3": raise RetryAfter(60000, "later")\nraise NonRetryableError("never")')
        .replace('"path"', '"body_schema": Title, "path"'),
    },
    engine: (frame) => frame.replace('"path":"/tickets/2",', '"path":"/tickets/2","body":{"kind":"json","value":{"title":"short"}},'),
  },
  'register-and-invoke': {
    files: {
      'steps/get-ticket_step.py': '\n\n' + handler('if input.path_params.get("id") == "2":\n'
        + '  assert input.query == {"verbose": "1", "tag": "b"} and input.query_all["tag"] == ["a", "b"] and input.headers_all["accept"] == ["a", "b"]\n'
        + '  return {"status": 404}\nctx.logger.info("looked up", {"found": True})\nreturn {"status": 200, "body": {"id": "1", "title": "No light"}}'),
      'steps/broken_step.py': 'config = {\n"a": 1,\n             }}\n',
      'steps/triage_step.py': 'config = {"name": "Triage", "triggers": [{"type": "queue", "topic": "ticket.created"}]}\n'
        + 'def handler(data, ctx):\n  assert data == {"id": "1"} and ctx.attempt == 2\n',
    },
  },
  'stream-to-engine': {
    files: {
      'steps/a_step.py': 'import asyncio\nfrom treadle import sse, streamed\n' + handler('if input.path_params["id"] == "2":\n  await asyncio.sleep(0.3)\n  def broken():\n    yield ("treadle" * 7)[:48]\n'
        + '    raise RuntimeError("the stream was closed before its end")\n  return streamed(broken())\n'
        + 'async def events(send):\n  await send("1")\n  await asyncio.sleep(0.05)\n  await send("2")\n  await send.signal.wait()\n'
        + 'return sse(events, headers={"set-cookie": ["a=1", "b=2"]})'),
    },
  },
  telemetry: {
    files: {
      'steps/a_step.py': 'import asyncio\nfrom opentelemetry import metrics, trace\nmeter = metrics.get_meter("m")\n'
        + 'charged = meter.create_counter("orders.charged", "{order}")\nweight = meter.create_histogram("orders.weight")\n'
        + 'config = {"name": "order", "triggers": [{"type": "queue", "topic": "orders"}]}\nasync def handler(data, ctx):\n'
        + '  start = 1767225600000250000\n  with trace.get_tracer("t").start_as_current_span("charge", kind=trace.SpanKind.CLIENT, start_time=start, end_on_exit=False) as span:\n'
        + '    span.set_attribute("amount", 12)\n    span.end(start + 3500000)\n'
        + '  charged.add(1, {"currency": "EUR"})\n  weight.record(1.5)\n  weight.record(2)\n  ctx.trace.set_attribute("order.id", data["id"])\n'
        + '  ctx.trace.add_event("charged", timestamp=1767225600003750000)\n',
    },
    hasOpenTelemetry: true,
  },
  withdraw: { files: { 'steps/triage_step.py': 'config = {"name": "Triage", "triggers": [{"type": "queue", "topic": "t"}]}\nasync def handler(data, ctx):\n  assert data == {"id": "2"}\n' } },
  // Its bytes are no JSON, and two chunks give no credit back.
  'stream-to-worker': {
    files: { 'steps/a_step.py': handler('return {"status": 201, "headers": {"content-type": "text/plain"}, "body": "stored" if input.body.startswith("treadle") else "?"}') },
    engine: (frame) => frame.replace('"as":"json"', '"as":"text"'), without: [3], lines: 6,
  },
};

/** Blocks the loop until the file is there that its message names. */
const TRIAGE = `import os, time
config = {"name": "Triage", "triggers": [{"type": "queue", "topic": "t"}]}
async def handler(data, ctx):
  open(data + ".began", "w").close()
  while not os.path.exists(data):
    time.sleep(0.01)
`;

/** Stands in for opentelemetry-api, as in the tests of the Python package. */
const OPEN_TELEMETRY = Object.fromEntries(['__init__.py', 'context.py', 'trace/__init__.py', 'metrics/__init__.py'].map((file) =>
  [`opentelemetry/${file}`, readFileSync(join(PYTHON_PATH, 'tests/fake_opentelemetry/opentelemetry', file), 'utf8')]));

describe('the golden conversations with a Python worker', function conversations() {
  this.timeout(120_000);
  for (const [file, play] of Object.entries(PLAYS)) {
    it(`are kept to: ${file}`, async () => {
      const root = await makeApplication({ files: { ...play.files, ...play.hasOpenTelemetry && OPEN_TELEMETRY } });
      const engine = new ScriptedEngine();
      await engine.listen();
      try {
        await converse(engine, root, goldenLines(file).slice(0, play.lines).filter((_, index) => !play.without?.includes(index)), play);
      } finally {
        await engine.close();
        rmSync(root, { recursive: true, force: true });
      }
    });
  }
});

describe('a Python worker whose engine was killed', function killed() {
  this.timeout(120_000);

  it('ends by itself, although nobody reads what it says', async () => {
    const root = await makeApplication({ files: { 'steps/a_step.py': handler('pass') } });
    const engine = new ScriptedEngine();
    await engine.listen();
    try {
      engine.start(root, 'k7f1');
      await (await engine.ear(0)).next();
      await engine.say(0, goldenLines('drain')[1]?.frame ?? []);
      await engine.vanish();
      expect(await engine.exitCode()).to.equal(69);
    } finally {
      await engine.close();
      rmSync(root, { recursive: true, force: true });
    }
  });
});

describe('a Python worker with a blocked loop whose engine was killed', function blocked() {
  this.timeout(120_000);

  it('ends as well', async () => {
    const root = await makeApplication({ files: { 'steps/a_step.py': handler('while True: pass') } });
    const engine = new ScriptedEngine();
    await engine.listen();
    try {
      engine.start(root, 'k7f1');
      await (await engine.ear(0)).next();
      const [, welcome, invoke] = goldenLines('drain');
      await engine.say(0, welcome?.frame ?? []);
      await engine.say(0, [{ type: 'load', files: await discoverStepFiles(root) }]);
      await (await engine.ear(0)).next();
      await engine.say(0, invoke?.frame ?? []);
      await engine.vanish();
      expect(await engine.exitCode()).to.equal(69);
    } finally {
      await engine.close();
      rmSync(root, { recursive: true, force: true });
    }
  });
});

describe('a Python worker whose loop a handler blocks', function blocked() {
  this.timeout(120_000);

  it('gives back at once what it has not begun, and does not run it later', async () => {
    const root = await makeApplication({ files: { 'steps/triage_step.py': TRIAGE } });
    const engine = new ScriptedEngine();
    await engine.listen();
    try {
      engine.start(root, 'k7f1');
      await (await engine.ear(0)).next();
      const { frame: welcome = [] } = goldenLines('withdraw')[1] as Line;
      const [invoke] = goldenLines('withdraw')[6]?.frame ?? [];
      await engine.say(0, welcome);
      await engine.say(0, [{ type: 'load', files: await discoverStepFiles(root) }]);
      await (await engine.ear(0)).next();
      expect((await (await engine.ear(1)).next()).type).to.equal('hello');
      await engine.say(1, welcome);
      await engine.say(0, [1, 2, 3].map((id) => ({ ...invoke, id, input: join(root, 'released') })));
      while (!existsSync(join(root, 'released.began'))) await new Promise((resolve) => setTimeout(resolve, 5));
      await engine.say(1, [{ type: 'withdraw', id: 1 }, { type: 'withdraw', id: 2 }]);
      const answers = [await said(engine, 1), await said(engine, 1)];
      expect(answers).to.deep.equal([{ type: 'withdrawal', id: 1, done: false }, { type: 'withdrawal', id: 2, done: true }]);
      writeFileSync(join(root, 'released'), '');
      expect([await (await engine.ear(0)).next(), await (await engine.ear(0)).next()]).to.deep.equal([{ type: 'result', id: 1 }, { type: 'result', id: 3 }]);
    } finally {
      await engine.close();
      rmSync(root, { recursive: true, force: true });
    }
  });
});

async function converse(engine: ScriptedEngine, root: string, lines: readonly Line[], play: Play): Promise<void> {
  engine.start(root, 'k7f1');
  let loaded: WorkerMessage | undefined;
  for (const line of lines) {
    const index = line.connection === 'heartbeat' ? 1 : 0;
    const isLoad = line.frame?.some(({ type }) => type === 'load') ?? false;
    if (line.from === 'worker') {
      const said = line.frame?.map((message) => message as WorkerMessage) ?? [];
      if (play.hasOpenTelemetry) said.sort((a, b) => Number(a.type === 'measurements') - Number(b.type === 'measurements'));
      for (const expected of said) await hears(engine, index, expected, expected.type === 'register' ? loaded : undefined);
      if (line.close !== undefined) {
        expect(await (await engine.ear(index)).end()).to.equal(line.close);
        expect(await engine.exitCode()).to.equal(0);
      }
    } else if (line.close !== undefined) {
      (await engine.ear(index)).socket.close(line.close);
      expect(await engine.exitCode()).to.equal(69);
    } else if (!isLoad) {
      const text = JSON.stringify(line.frame);
      await engine.say(index, JSON.parse(play.engine?.(text) ?? text) as unknown[]);
      const greeted = index === 0 && line.frame?.some(({ type }) => type === 'welcome') === true;
      if (greeted) {
        await engine.say(0, [{ type: 'load', files: await discoverStepFiles(root) }]);
        loaded = await (await engine.ear(0)).next();
        expect(loaded.type, engine.errors).to.equal('register');
      }
    }
  }
}

/** What comes next, but for heartbeats: there may be more of them where the machine is slow. */
async function said(engine: ScriptedEngine, index: number): Promise<WorkerMessage> {
  for (;;) {
    const message = await (await engine.ear(index)).next();
    if (message.type !== 'alive') return message;
  }
}

async function hears(engine: ScriptedEngine, index: number, expected: WorkerMessage, already: WorkerMessage | undefined): Promise<void> {
  const message = already ?? (expected.type === 'alive' ? await (await engine.ear(index)).next() : await said(engine, index));
  expect(comparable(message), JSON.stringify(message)).to.deep.equal(comparable(expected));
}

/** What the language and the moment decide is only told by its type. */
function comparable(message: WorkerMessage): unknown {
  switch (message.type) {
    case 'hello': {
      const { role, session } = message;
      return { role, session, members: [message.token, message.pid, message.runtimeVersion, message.sdkVersion].map((member) => typeof member) };
    }
    case 'alive': return { type: 'alive', loopDelayMs: typeof message.loopDelayMs };
    case 'log': return { ...message, time: typeof message.time };
    case 'register': return registered(message);
    case 'spans': return message.spans.map(({ spanId, ...span }) => ({ ...span, spanId: typeof spanId }));
    case 'result': return withoutTime(message);
    case 'error': {
      const { stack: _, ...rest } = withoutTime(message) as { stack?: string };
      return rest;
    }
    default: return message;
  }
}

/** Two conversations invoke what their catalogs do not name. */
function registered({ complete, reports }: Extract<WorkerMessage, { type: 'register' }>): object {
  const steps = reports.flatMap((report) => report.steps).filter(({ config }) => (config as { name?: string }).name !== 'Triage');
  const served = steps.map(({ config, role }) => ({ config: { ...config as object, onJoin: undefined }, role }));
  return { complete, served, problems: reports.flatMap(({ problem }) => (problem ? [[problem.kind, problem.line, problem.column]] : [])) };
}

function withoutTime(message: WorkerMessage): object {
  const { ms: _, ...rest } = message as WorkerMessage & { ms?: number };
  const { http } = rest as { http?: { headers?: Record<string, unknown>; body?: { as?: string } } };
  if (http?.headers) delete http.headers['cache-control'];
  // A large JSON value cannot break off in the middle; a streamed answer can.
  if (http?.body) delete http.body.as;
  if (http?.headers?.['content-type'] === 'application/octet-stream') delete http.headers;
  return rest;
}

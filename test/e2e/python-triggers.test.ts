import { get } from 'node:http';
import { expect } from 'chai';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import { WebSocket } from 'ws';
import { request } from '../support/http-client.js';
import { requirePython } from '../support/require-python.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const memory = (block: string): string => `adapter: { class: modules::${block}::adapters::Sqlite, config: { store_method: in_memory } }`;
const YAML = `engine: { implicit_modules: false }
modules:
  - { class: modules::http::HttpModule, config: { port: 0, max_event_loop_delay_ms: 60000 } }
  - { class: modules::steps::StepsModule, config: { port: false } }
  - { class: modules::queue::QueueModule, config: { ${memory('queue')} } }
  - { class: modules::state::StateModule, config: { ${memory('state')} } }
  - { class: modules::stream::StreamModule, config: { port: 0, ${memory('stream')} } }
  - { class: modules::cron::CronModule, config: { ${memory('cron')} } }
`;

/** One Step with a trigger of each kind, and every key that a trigger may have, in snake_case. */
const FILES = {
  'steps/every_step.py': `from treadle import Context, cron, getContext, get_context, http, queue, state, stream, topic

made = topic("made", {"type": "object", "required": ["some_key"]})
KINDS = ("http", "queue", "cron", "state", "stream")


async def note(input):
    ctx = getContext()
    members = sorted(input) if ctx.trigger.type != "http" else [
        name for name in ("body", "path_params", "query_params", "query", "headers", "method", "path", "raw_body", "request", "query_all", "headers_all") if hasattr(input, name)]
    ctx.logger.info("told", {"kind": ctx.trigger.type, "members": members, "is": [kind for kind in KINDS if getattr(ctx.is_, kind)()], "data": ctx.get_data()})


def through(request, ctx, next):
    assert request.body == {"some_key": 1}, "the body is there before validation"
    return {**next(), "headers": {"x-through": "yes"}}


async def take(input):
    await note(input)
    ctx = get_context()
    await ctx.enqueue({"topic": made, "data": input.body})
    await ctx.state.set("watched", "k", {"someKey": 1})
    await ctx.streams.board.set("open", "i", {"some_key": 1})
    return {"status": 200, "body": {"id": input.path_params["id"], "page": input.query["page"], "raw": len(input.raw_body), "tags": input.query_all["tag"]}}


config = {
    "name": "Every", "description": "d", "flows": ["f"], "enqueues": [made], "virtual_enqueues": ["drawn"], "virtual_subscribes": ["drawn"],
    "triggers": [
        http("POST", "/every/:id", body_schema={"type": "object"}, response_schema={200: {"type": "object", "required": ["id"]}},
             query_schema={"type": "object", "properties": {"page": {"type": "integer"}, "tag": {"type": "array", "items": {"type": "string"}}}},
             headers_schema={"type": "object"}, middleware=[through], body_limit=500, timeout_ms=20_000, raw_body=True,
             cors={"allowed_origins": ["https://app.example.com"], "max_age_seconds": 5}, condition=lambda input: True),
        queue(made, config={"max_attempts": 2, "backoff": {"type": "fixed", "delay_ms": 5}, "timeout_ms": 20_000, "rate_limit": {"max": 9, "per_ms": 5}}),
        cron("* * * * * *", timezone="Europe/Berlin", missed="skip", catch_up_window_ms=1000, overlap="skip", timeout_ms=20_000),
        state(group="watched", prefix="k"), stream("board", group_id="open", id="i", events=["create"]),
    ],
}


async def handler(input, ctx: Context):
    return await ctx.match({"http": take, "default": note})
`,
  'steps/truthy_step.py': `config = {"name": "Truthy", "triggers": [{"type": "http", "method": "GET", "path": "/truthy", "condition": lambda input, ctx: "yes"}]}


def handler():
    return {"status": 200}
`,
  'steps/endless_step.py': `import asyncio

from treadle import http, sse, step


@step({"name": "Endless", "triggers": [http("GET", "/endless")]})
async def endless(input, ctx):
    async def events(send):
        await send("first")
        await ctx.signal.wait()
        ctx.logger.info("gone", {"reason": str(ctx.signal.reason)})

    return sse(events)
`,
  'src/board_stream.py': `config = {
    "name": "board", "schema": {"type": "object", "required": ["some_key"]},
    "can_access": lambda subscription, auth: auth["user"] == subscription.group_id,
    "on_join": lambda subscription, auth: print("joined", auth["user"]), "on_leave": lambda subscription, auth: print("left", auth["user"]),
}
`,
  'src/clients_stream_auth.py': `def authenticate(request):
    return {"user": request.query["user"]} if "user" in request.query else None
`,
};

describe('Python Steps and streams', function () {
  this.timeout(120_000);
  let engine: TestComposition;
  before(async function () {
    await requirePython(this);
    engine = await createTestComposition({ root: tempApplication(FILES), yaml: YAML });
    await waitUntil('the Steps', () => ['Every', 'Truthy', 'Endless', 'stream:board', 'stream-auth'].every((step) => engine.engine.dispatch.invoker.servers(step) === 1));
  });
  after(() => engine?.stop());

  const told = (message: string, kind?: string): Promise<Readonly<Record<string, unknown>>> => waitUntil(`${message} ${kind ?? ''}`, () =>
    engine.logs.find((record) => record.message.startsWith(message) && (kind === undefined || record.fields?.['kind'] === kind))?.fields, 30_000);

  it('take every key and every kind of trigger, with the inputs of each', async () => {
    const answer = await request('POST', `${engine.url('http')}/every/a%20b?page=2&tag=x&tag=y`, { some_key: 1 }, { origin: 'https://app.example.com' });
    expect([answer.status, answer.json]).to.deep.equal([200, { id: 'a b', page: 2, raw: 14, tags: ['x', 'y'] }]);
    expect(answer.headers).to.include({ 'x-through': 'yes', 'access-control-allow-origin': 'https://app.example.com' });
    expect(await told('told', 'http')).to.deep.include({ is: ['http'], data: { some_key: 1 } });
    expect((await told('told', 'http'))['members']).to.have.length(11);
    expect(await told('told', 'queue')).to.deep.include({ is: ['queue'], members: ['some_key'], data: { some_key: 1 } });
    expect(await told('told', 'state')).to.deep.include({ is: ['state'], members: ['group', 'key', 'new_value', 'old_value', 'type'] });
    expect((await told('told', 'state'))['data']).to.deep.include({ new_value: { someKey: 1 }, old_value: null });
    expect(await told('told', 'stream')).to.deep.include({ is: ['stream'], members: ['event', 'group_id', 'id', 'stream_name'] });
    expect((await told('told', 'stream'))['data']).to.have.nested.property('event.type', 'create');
    expect(await told('told', 'cron')).to.deep.include({ is: ['cron'], members: ['fired_at', 'missed', 'previous_scheduled_at', 'scheduled_at', 'timezone'] });
    expect((await told('told', 'cron'))['data']).to.include({ timezone: 'Europe/Berlin', missed: false });
  });

  it('run only when a condition is True itself', async () => {
    const { status, json } = await request('GET', `${engine.url('http')}/truthy`);
    expect([status, (json as { code: string }).code]).to.deep.equal([422, 'condition_not_met']);
  });

  it('hear by their signal that the client has gone', async () => {
    await new Promise<void>((resolve, reject) => {
      const leaving = get(`${engine.url('http')}/endless`, (response) => response.once('data', () => { leaving.destroy(); resolve(); }).on('error', () => undefined));
      leaving.on('error', reject);
    });
    expect((await told('gone'))['reason']).to.match(/client_gone$/);
  });

  it('let clients in to streams, and groups, as their functions say', async () => {
    expect(await unexpected(engine.url('stream'))).to.equal(401);
    const socket = new WebSocket(`${engine.url('stream')}/?user=open`);
    const events: string[] = [];
    socket.on('message', (data) => {
      const { groupId, event } = JSON.parse((data as Buffer).toString()) as { groupId: string; event: { type: string } };
      events.push(`${groupId} ${event.type}`);
    });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    for (const groupId of ['open', 'closed']) socket.send(JSON.stringify({ type: 'join', data: { subscriptionId: groupId, streamName: 'board', groupId } }));
    await waitUntil('both answers', () => events.length === 2);
    expect(events.sort()).to.deep.equal(['closed unauthorized', 'open sync']);
    await told('joined open');
    socket.close();
    await told('left open');
  });
});

/** Status with which an upgrade is refused. */
function unexpected(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    socket.once('unexpected-response', (_request, { statusCode }) => { resolve(statusCode); socket.terminate(); });
    socket.on('error', () => undefined).once('open', () => reject(new Error('it was let in')));
  });
}

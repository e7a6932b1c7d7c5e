import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../architecture/workspace.js';
import { AdminClient, type ShownLetter } from '../support/admin-client.js';
import { EngineProcess } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { requirePython } from '../support/require-python.js';
import { requireOrSkip } from '../support/requirement.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const MODELS = join(ROOT, 'test/validation/models.py');
/** What pydantic says of a value: nothing when it takes it. */
interface Cell { readonly value: unknown; readonly said: readonly string[] | null }
interface Letter extends ShownLetter { readonly data: unknown }
interface Issue { readonly path: string; readonly message: string }

const STEP = (name: string): string => `from models import TABLE
config = {"name": "${name}", "triggers": [{"type": "http", "method": "POST", "path": "/${name}", "body_schema": TABLE["${name}"][0]}]}
def handler(input, ctx):
    return {"status": 204}
`;
const CONSUMER = (name: string): string => `from models import TABLE
config = {"name": "Take${name}", "triggers": [{"type": "queue", "topic": "${name}", "input": TABLE["${name}"][0]}]}
def handler(input, ctx):
    pass
`;
const SEND = (topics: readonly string[]): string => `config = {"name": "Send", "triggers": [{"type": "http", "method": "POST", "path": "/send"}], "enqueues": ${JSON.stringify(topics)}}
async def handler(input, ctx):
    for data in input.body["messages"]:
        await ctx.enqueue({"topic": input.body["topic"], "data": data})
    return {"status": 204}
`;
const STREAM = (name: string): string => `from models import TABLE
config = {"name": "${name}", "schema": TABLE["${name}"][0]}
`;
const PUT = `from treadle import OperationError
config = {"name": "Put", "triggers": [{"type": "http", "method": "POST", "path": "/put"}]}
async def handler(input, ctx):
    try:
        await ctx.streams[input.body["stream"]].set("g", "it", input.body["item"])
    except OperationError as error:
        return {"status": 200, "body": {"code": error.code, "message": str(error)}}
    return {"status": 200, "body": {"code": "taken", "message": ""}}
`;
const QUERY = `from pydantic import BaseModel, Field
class Query(BaseModel):
    page: int = Field(1, ge=1)
    all: bool = False
class Headers(BaseModel):
    count: int = Field(alias="X-Count")
config = {"name": "Query", "triggers": [
    {"type": "http", "method": "GET", "path": "/query", "query_schema": Query}, {"type": "http", "method": "GET", "path": "/headers", "headers_schema": Headers}]}
def handler(input, ctx):
    return {"status": 200, "body": input.query.model_dump() if input.path == "/query" else input.headers.count}
`;
const CONFIG = `modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: false }
  - class: modules::queue::QueueModule
  - class: modules::stream::StreamModule
    config: { port: 0 }
`;

describe('the engine and pydantic', function () {
  this.timeout(120_000);
  let engine: EngineProcess | undefined;
  let url: string;
  let table: Readonly<Record<string, readonly Cell[]>>;

  before(async function () {
    const python = await requirePython(this);
    const hasPydantic = execFileSync(python, ['-c', 'import importlib.util as u; print(u.find_spec("pydantic") is not None)'], { encoding: 'utf8' }).includes('True');
    requireOrSkip(this, hasPydantic, 'no pydantic');
    table = JSON.parse(execFileSync(python, [MODELS], { encoding: 'utf8' })) as typeof table;
    const names = Object.keys(table);
    const root = tempApplication({
      'models.py': readFileSync(MODELS, 'utf8'), 'config.yaml': CONFIG, 'steps/put_step.py': PUT, 'steps/query_step.py': QUERY, 'steps/send_step.py': SEND(names),
      ...Object.fromEntries(names.map((name) => [`steps/take_${name}_step.py`, CONSUMER(name)])),
      ...Object.fromEntries(names.map((name) => [`steps/${name}_step.py`, STEP(name)])), ...Object.fromEntries(names.map((name) => [`src/${name}_stream.py`, STREAM(name)])),
    });
    engine = new EngineProcess({ cwd: root, args: ['--config', 'config.yaml'] });
    url = await engine.address('http');
    await waitUntil('all Steps', async () => (await request('GET', `${url}/query`)).status === 200);
  });
  after(async () => {
    await engine?.stop();
  });

  /** One of pydantic's own texts, or several of one union. */
  const isSaid = (message: string, said: readonly string[]): boolean => message.split(' or Input').every((part, index) => said.includes(index === 0 ? part : `Input${part}`));

  it('agree on every body, in pydantic\'s words, once for each fault', async () => {
    for (const [name, cells] of Object.entries(table)) {
      expect(cells.length).to.be.at.least(8);
      for (const { value, said } of cells) {
        const answer = await request('POST', `${url}/${name}`, value);
        const issues = (answer.json as { issues?: readonly Issue[] } | undefined)?.issues ?? [];
        const told = `${name} ${JSON.stringify(value)}: ${answer.status} ${answer.text}; pydantic says ${JSON.stringify(said)}`;
        expect(answer.status, told).to.equal(said === null ? 204 : 400);
        expect(issues.every(({ message }) => isSaid(message, said ?? [])), told).to.equal(true);
        expect(new Set(issues.map(({ path }) => path)).size, told).to.equal(issues.length);
        expect(issues.length > 0, told).to.equal(said !== null);
      }
    }
  });

  it('agree on items of streams', async () => {
    for (const [name, cells] of Object.entries(table)) {
      for (const { value, said } of cells) {
        const { code, message } = (await request('POST', `${url}/put`, { stream: name, item: value })).json as { code: string; message: string };
        expect(code, `${name} ${JSON.stringify(value)}: ${message}`).to.equal(said === null ? 'taken' : 'InvalidItem');
        if (said !== null) expect(said.some((text) => message.includes(text)), message).to.equal(true);
      }
    }
  });

  it('agree on messages of queues', async () => {
    const admin = new AdminClient(engine as EngineProcess);
    for (const [name, cells] of Object.entries(table)) {
      expect((await request('POST', `${url}/send`, { topic: name, messages: cells.map(({ value }) => value) })).status).to.equal(204);
    }
    await waitUntil('all deliveries', async () => (await admin.gathered()).every((line) => line.endsWith(': 0')));
    for (const [name, cells] of Object.entries(table)) {
      const letters = (await admin.letters(`Take${name}`)) as readonly Letter[];
      expect(letters.map(({ reason }) => reason)).to.satisfy((all: string[]) => all.every((reason) => reason === 'invalid_input'));
      const refused = cells.filter(({ said }) => said !== null).map(({ value }) => JSON.stringify(value));
      expect(letters.map(({ data }) => JSON.stringify(data)).sort(), name).to.deep.equal(refused.sort());
    }
  });

  it('reports the branch of a union that a value was meant for, at its place in the value', async () => {
    const issuesOf = async (by: unknown): Promise<unknown> => ((await request('POST', `${url}/paid`, { by })).json as { issues: unknown }).issues;
    expect(await issuesOf({ kind: 'bank' })).to.deep.equal([{ in: 'body', path: 'by.iban', message: 'Field required', code: 'missing' }]);
    expect(await issuesOf(7)).to.deep.equal([{
      in: 'body', path: 'by', message: 'Input should be a valid dictionary or instance of Card or Input should be a valid dictionary or instance of Bank', code: 'model_type',
    }]);
  });

  it('agree on queries and headers', async () => {
    expect((await request('GET', `${url}/query?page=2&all=yes`)).json).to.deep.equal({ page: 2, all: true });
    expect((await request('GET', `${url}/query?page=0&all=perhaps`)).json).to.have.nested.property('issues.length', 2);
    expect((await request('GET', `${url}/headers`, undefined, { 'x-count': '7' })).json).to.equal(7);
    expect((await request('GET', `${url}/headers`)).json).to.have.nested.property('issues[0].message', 'Field required');
  });
});

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { EngineProcess, cleanEnvironment, cliProgram, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { installLinePlugin } from '../support/packed-plugin.js';
import { requirePython } from '../support/require-python.js';
import { testConfig } from '../support/sample-steps.js';
import { tempFolder, writeFiles } from '../support/temp-folder.js';
import { HEALTHY } from '../support/test-store.js';
import { waitUntil } from '../support/wait-until.js';

const STEP = `import { appendFileSync } from 'node:fs';

export const config = { name: 'TakesOrders', triggers: [{ type: 'acme.line', word: 'order' }] };
export const handler = async (input, { call }) => {
  const { clients } = await call('line.broadcast', { text: 'taken: ' + input.text });
  appendFileSync('orders.txt', input.text + ' (' + clients + ')\\n');
};
`;
/** Prints what each call came to; the second one in a function that the handler calls. */
const CALLS = `import { appendFileSync } from 'node:fs';
import { getContext } from 'treadle';

const tell = (what) => appendFileSync('calls.txt', JSON.stringify(what) + '\\n');
const below = async (name, args) => getContext().call(name, args).then(tell, ({ name, code, message }) => tell([name, code, message]));
export const config = { name: 'Calls', triggers: [{ type: 'acme.line', word: 'calls' }] };
export const handler = async () => {
  await below('line.broadcast', { text: 'hello' });
  await below('line.broadcast', { txt: 'hello' });
  await below('line.broadcast', { text: 'a\\nb' });
  await below('line.brodcast', { text: 'hello' });
  tell('over');
};
`;
const CALLS_PY = `from treadle import OperationError, get_context
import json

config = {"name": "CallsInPython", "triggers": [{"type": "acme.line", "word": "python"}]}


def tell(what):
    with open("python.txt", "a") as file:
        file.write(json.dumps(what, separators=(",", ":")) + "\\n")


def below(name, **args):
    try:
        tell(get_context().call(name, **args))
    except OperationError as error:
        tell(["OperationError", error.code, str(error)])


def handler(input, ctx):
    below("line.broadcast", text="hello")
    below("line.broadcast", txt="hello")
    below("line.broadcast", text="a\\nb")
    below("line.brodcast", text="hello")
    tell("over")
`;
/** Dies with its engine at the first attempts, which never end. */
const KEPT = `import { appendFileSync } from 'node:fs';

export const config = {
  name: 'Keeps',
  triggers: [{ type: 'acme.line', word: 'other' }, { type: 'acme.line', word: 'keep', durable: true, config: { backoff: { delayMs: 10 } } }],
};
export const handler = async ({ text }, { attempt, trigger }) => {
  appendFileSync('kept.txt', text + ' ' + trigger.index + ' begun\\n');
  if (process.env.HANG === '1') await new Promise(() => undefined);
  if (attempt < 3) throw new Error('not yet');
  appendFileSync('kept.txt', text + ' done ' + attempt + '\\n');
};
`;
const CALLED = [
  '{"clients":1}',
  '["OperationError","InvalidValue","\\"line.broadcast\\" was refused: \\"text\\" is missing"]',
  '["OperationError","LineBreak","a text to be sent is one line"]',
  '["OperationError","OPERATION_UNAVAILABLE","no loaded module serves operation \\"line.brodcast\\"; did you mean \\"line.broadcast\\"?"]',
  '"over"', '',
];

describe('a third-party plugin outside the workspace, installed from a packed tarball', function () {
  this.timeout(120_000);
  let cwd = '';

  before(() => {
    cwd = tempFolder();
    writeFiles(cwd, {
      'package.json': '{ "name": "orders", "private": true, "type": "module" }\n',
      'steps/takes-orders.step.js': STEP,
      'steps/keeps.step.js': KEPT,
      'steps/calls.step.js': CALLS,
      'steps/calls_step.py': CALLS_PY,
      'config.yaml': `plugins: [acme-treadle-line]\n${testConfig()}        - class: modules::runtime::adapters::Python\n  - class: acme::line::LineModule\n    config: { port: 0 }\n`,
    });
    writeFiles(cwd, { 'queue.yaml': `${readFileSync(join(cwd, 'config.yaml'), 'utf8')}  - class: modules::queue::QueueModule\n` });
    installLinePlugin(cwd);
  });
  afterEach(stopAllEngines);

  it('adds a module with its own trigger kind and a command, composed by YAML alone', async () => {
    const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
    const url = await engine.ready();
    const { port } = new URL(await engine.address('line'));
    expect(treadle(['line', 'say', 'order two teas', '--port', port])).to.equal('taken: two teas\n1 Step started\n');
    expect(treadle(['line', 'say', 'nonsense', '--port', port])).to.equal('0 Step started\n');
    const orders = join(cwd, 'orders.txt');
    await waitUntil('the order', () => existsSync(orders) && readFileSync(orders, 'utf8') !== '');
    expect(readFileSync(orders, 'utf8')).to.equal('two teas (1)\n');
    expect((await request('GET', `${url}/health`)).text).to.match(HEALTHY);
    expect((await engine.stop()).code).to.equal(0);
  });

  for (const [language, word, file] of [['JavaScript', 'calls', 'calls.txt'], ['Python', 'python', 'python.txt']] as const) {
    it(`serves an operation that handlers in ${language} call, wherever they are`, async function () {
      if (language === 'Python') await requirePython(this);
      const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
      await engine.ready();
      const { port } = new URL(await engine.address('line'));
      await waitUntil('the Step', () => treadle(['line', 'say', word, '--port', port]).endsWith('1 Step started\n'));
      expect(readFileSync(join(cwd, file), 'utf8').split('\n')).to.deep.equal(CALLED);
      expect((await engine.stop()).code).to.equal(0);
    });
  }

  it('keeps what it hands to the queue through a kill of the engine, until the Step has taken it', async () => {
    const kept = join(cwd, 'kept.txt');
    const text = (): string => (existsSync(kept) ? readFileSync(kept, 'utf8') : '');
    const killed = new EngineProcess({ cwd, args: ['--config', 'queue.yaml'], env: { HANG: '1' } });
    await killed.ready();
    const { port } = new URL(await killed.address('line'));
    expect(treadle(['line', 'say', 'keep this', '--port', port])).to.equal('1 Step started\n');
    await waitUntil('the first attempt', () => text() === 'this 1 begun\n');
    await killed.stop('SIGKILL');
    const engine = new EngineProcess({ cwd, args: ['--config', 'queue.yaml'] });
    await engine.ready();
    await waitUntil('the delivery', () => text().includes('done'));
    expect(text()).to.match(/^(this 1 begun\n){4}this done 3\n$/);
    expect((await engine.stop()).code).to.equal(0);
  });

  it('lists what its module knows by a command on the admin API, as a table or JSON, and says when no engine runs', async () => {
    writeFiles(cwd, { 'admin.yaml': `${readFileSync(join(cwd, 'config.yaml'), 'utf8')}  - class: modules::console::ConsoleModule\n    config: { port: 0 }\n` });
    const none = spawnSync(process.execPath, [cliProgram(), 'line', 'list', '--config', 'admin.yaml'], { cwd, encoding: 'utf8', env: cleanEnvironment() });
    expect([none.status, none.stderr]).to.satisfy(([code, text]: [number, string]) => code === 69 && text.includes('ENGINE_NOT_RUNNING'));
    const engine = new EngineProcess({ cwd, args: ['--config', 'admin.yaml'] });
    await engine.ready();
    const { port } = new URL(await engine.address('line'));
    treadle(['line', 'say', 'nonsense here', '--port', port]);
    expect(treadle(['line', 'list', '--config', 'admin.yaml'])).to.equal('LINE           STARTED\nnonsense here  0\n');
    expect((JSON.parse(treadle(['line', 'list', '--config', 'admin.yaml', '--json'])) as { items: { text: string }[] }).items[0]?.text).to.equal('nonsense here');
    expect((await engine.stop()).code).to.equal(0);
  });

  it('shows its class and its command like built-in ones', () => {
    const list = treadle(['modules', 'list', '--config', 'config.yaml']);
    expect(list).to.match(/acme::line::LineModule\s+module\s+beta\s.*acme-treadle-line 1\.2\.3 \(plugin\)/);
    expect(treadle(['line', 'say', '--help'])).to.include('Send a line of text to a running engine');
    const show = treadle(['modules', 'show', 'acme::line::LineModule', '--config', 'config.yaml']);
    expect(show).to.include('time limit of a handler');
  });

  it('checks its settings and its trigger keys like built-in ones', async () => {
    writeFiles(cwd, { 'bad.yaml': 'plugins: [acme-treadle-line]\nmodules:\n  - class: acme::line::LineModule\n    config: { prot: 1 }\n' });
    const engine = new EngineProcess({ cwd, args: ['--config', 'bad.yaml', '--check'] });
    expect((await engine.exit).code).to.equal(78);
    expect(engine.output).to.include('bad.yaml:4:15  error  CONFIG_UNKNOWN_KEY  modules[0].config.prot: acme::line::LineModule has no setting "prot"');
    expect(engine.output).to.include('did you mean "port"?');
  });

  function treadle(args: string[]): string {
    return execFileSync(process.execPath, [cliProgram(), ...args], { cwd, encoding: 'utf8', env: cleanEnvironment() });
  }
});

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { EngineProcess, cleanEnvironment, cliProgram, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { installLinePlugin } from '../support/packed-plugin.js';
import { testConfig } from '../support/sample-steps.js';
import { tempFolder, writeFiles } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const STEP = `import { appendFileSync } from 'node:fs';

export const config = { name: 'TakesOrders', triggers: [{ type: 'acme.line', word: 'order' }] };
export const handler = async (input) => appendFileSync('orders.txt', input.text + '\\n');
`;

describe('a third-party plugin outside the workspace, installed from a packed tarball', function () {
  this.timeout(60_000);
  let cwd = '';

  before(() => {
    cwd = tempFolder();
    writeFiles(cwd, {
      'package.json': '{ "name": "orders", "private": true, "type": "module" }\n',
      'steps/takes-orders.step.js': STEP,
      'config.yaml': `plugins: [acme-treadle-line]\n${testConfig()}  - class: acme::line::LineModule\n    config: { port: 0 }\n`,
    });
    installLinePlugin(cwd);
  });
  afterEach(stopAllEngines);

  it('adds a module with its own trigger kind and a command, composed by YAML alone', async () => {
    const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
    const url = await engine.ready();
    const { port } = new URL(await engine.address('line'));
    expect(treadle(['line', 'say', 'order two teas', '--port', port])).to.equal('1 Step started\n');
    expect(treadle(['line', 'say', 'nonsense', '--port', port])).to.equal('0 Step started\n');
    const orders = join(cwd, 'orders.txt');
    await waitUntil('the order', () => existsSync(orders));
    expect(readFileSync(orders, 'utf8')).to.equal('two teas\n');
    expect((await request('GET', `${url}/health`)).text).to.equal('{"status":"ok"}');
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

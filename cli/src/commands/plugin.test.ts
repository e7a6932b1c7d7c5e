import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { addFiles, makeApp, removeApp, runCli, type CommandOutcome } from '../cli.fixture.js';
import { pluginNames } from '../plugin-new/plugin-names.js';

describe('treadle plugin new', function () {
  this.timeout(120_000);
  let folder: string;
  beforeEach(() => { folder = makeApp(); });
  afterEach(() => removeApp(folder));
  const run = (...args: string[]): Promise<CommandOutcome> => runCli(args, { cwd: folder });

  /** What a script of the package says. */
  const said = (plugin: string, ...script: string[]): { readonly output: string; readonly status: number | null } => {
    const { NODE_OPTIONS: _options, ...env } = process.env;
    const { stdout, status } = spawnSync('npm', script, { cwd: plugin, encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'pipe'] });
    return { output: stdout, status };
  };

  it('writes a package that builds, passes its own test and runs in an application', async () => {
    const { code, stdout, stderr } = await run('plugin', 'new', '@acme/treadle-beat');
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout).to.include('@acme/treadle-beat with acme::beat::BeatModule in treadle-beat/');
    const plugin = join(folder, 'treadle-beat');
    symlinkSync(join(folder, 'node_modules'), join(plugin, 'node_modules'));
    expect(said(plugin, 'test').output).to.match(/(# pass|ℹ pass) [1-9]/).and.match(/(# fail|ℹ fail) 0/);
    const settings = 'config: { interval_ms: 100, message: bump }';
    addFiles(folder, { 'config.yaml': `plugins: [./treadle-beat]\nmodules:\n  - class: acme::beat::BeatModule\n    ${settings}\n` });
    expect((await run('check')).stdout).to.include('config.yaml: valid.');
    const listed = await run('plugins', 'list');
    expect(listed.stdout).to.match(/^@acme\/treadle-beat +0\.1\.0 +plugin +acme::beat::BeatModule$/m).and.match(/^@treadle\/module-http +0\.1\.0 +built-in +modules::http::HttpModule$/m);
    addFiles(folder, { 'config.yaml': 'plugins: [./treadle-beat]\nmodules:\n  - class: acme::beat::BeatModule\n    config: { mesage: x }\n' });
    expect((await run('check')).stdout).to.include('did you mean "message"?');
  });

  const SLOTS = [['state', 'State', 'max_bytes: 2048', 'write'], ['queue', 'Queue', 'max_bytes: 2048', 'onDue'],
    ['stream', 'Stream', 'max_bytes: 2048', 'watch'], ['cron', 'Cron', 'kept_runs: 200', 'schedules']] as const;
  for (const [slot, block, setting, first] of SLOTS) {
    it(`writes a ${slot} adapter that builds, refuses method by method what is not written, and is configured in an application`, async () => {
      const { code, stdout, stderr } = await run('plugin', 'new', 'acme-treadle-crate', '--kind', 'adapter', '--slot', slot);
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
      expect(stdout).to.include(`plugins: [acme-treadle-crate] and a ${slot} adapter of class acme::${slot}::adapters::Crate`);
      const plugin = join(folder, 'acme-treadle-crate');
      symlinkSync(join(folder, 'node_modules'), join(plugin, 'node_modules'));
      expect(said(plugin, 'run', 'build').status, 'compiles').to.equal(0);
      const kit = said(plugin, 'test');
      expect(kit.status).to.equal(1);
      const refusals = kit.output.match(/not implemented: \w+ of Crate\w+/g) ?? [];
      expect(refusals).to.include(`not implemented: ${first} of Crate${block}`);
      const failures = Number(/(?:# fail|ℹ fail) (\d+)/.exec(kit.output)?.[1]);
      expect(failures).to.be.greaterThan(8);
      const named = kit.output.split(/^ *not ok |^ *✖ /m).slice(1).filter((text) => text.includes('not implemented'));
      expect(named.length, kit.output).to.be.at.least(failures / 2);
      const config = (value: string): string => `plugins: [./acme-treadle-crate]\nmodules:\n  - class: modules::${slot}::${block}Module\n    config: { adapter: { class: acme::${slot}::adapters::Crate, config: { ${value} } } }\n`;
      addFiles(folder, { 'config.yaml': config(setting) });
      expect((await run('check')).stdout).to.include('config.yaml: valid.');
      addFiles(folder, { 'config.yaml': config(setting.replace('_', '-')) });
      expect((await run('check')).stdout).to.include(`did you mean "${setting.split(':')[0]}"?`);
    });
  }

  it('writes a trigger kind that builds, and whose kit refuses method by method what is not written', async () => {
    const { code, stdout, stderr } = await run('plugin', 'new', 'acme-treadle-mqtt', '--kind', 'trigger');
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout).to.include('plugins: [acme-treadle-mqtt] and a module of class acme::mqtt::MqttModule');
    const plugin = join(folder, 'acme-treadle-mqtt');
    symlinkSync(join(folder, 'node_modules'), join(plugin, 'node_modules'));
    expect(said(plugin, 'run', 'build').status, 'compiles').to.equal(0);
    const kit = said(plugin, 'test');
    expect(kit.status).to.equal(1);
    expect(new Set(kit.output.match(/not implemented: \w+ of \w+/g))).to.deep.equal(new Set(['not implemented: open of MqttSource', 'not implemented: close of MqttSource']));
    addFiles(folder, {
      'config.yaml': 'plugins: [./acme-treadle-mqtt]\nmodules:\n  - class: acme::mqtt::MqttModule\n',
      'steps/alarm.step.js': 'export default { config: { name: "Alarm", triggers: [{ type: "acme.mqtt", topik: "a" }] }, handler: async () => {} };\n',
    });
    expect((await run('check')).stdout).to.include('topik');
  });

  it('writes nothing over what is there, and refuses bad names', async () => {
    addFiles(folder, { 'mine/file.txt': 'precious' });
    for (const [args, text] of [
      [['mine'], '"mine" exists already and is not empty'],
      [['Acme'], '"Acme" has capital letters'],
      [['../x'], '"../x" is a path, not a name'],
      [['modules-x'], '"modules::x::XModule" has an owner that only Treadle\'s own packages use'],
      [['acme-x', '--class', 'acme::XModule'], '"acme::XModule" is no class of a module'],
      [['acme-x', '--class', 'acme::x::adapters::Y'], 'is no class of a module'],
      [['acme-x', '--kind', 'adapter', '--slot', 'queue', '--class', 'acme::state::adapters::Y'], '"acme::state::adapters::Y" is no class of a queue adapter'],
      [['acme-x', '--kind', 'adapter', '--slot', 'queue', '--class', 'acme::x::YModule'], 'write owner::queue::adapters::Name'],
      [['modules-x', '--kind', 'adapter', '--slot', 'queue'], '"modules::queue::adapters::X" has an owner that only Treadle\'s own packages use'],
      [['acme-x', '--kind', 'adapter'], 'an adapter fills a slot, and none is given'],
      [['acme-x', '--slot', 'queue'], 'a module fills no slot, but --slot queue is given'],
      [['acme-x', '--kind', 'trigger', '--slot', 'queue'], 'a trigger fills no slot, but --slot queue is given'],
      [['acme-x', '--kind', 'trigger', '--class', 'acme::queue::adapters::Y'], 'is no class of a module'],
      [['acme-x', '--kind', 'adapter', '--slot', 'ques'], 'option "--slot" must be one of state, queue, stream, cron, got "ques"'],
    ] as const) {
      const { code, stderr } = await run('plugin', 'new', ...args);
      expect(code, stderr).to.equal(64);
      expect(stderr).to.include(text);
    }
    expect(readFileSync(join(folder, 'mine/file.txt'), 'utf8')).to.equal('precious');
  });

  it('lists plugins that bring commands alone', async () => {
    const own = makeApp({
      'package.json': '{"dependencies":{"acme-commands":"1"}}',
      'node_modules/acme-commands/package.json': '{"name":"acme-commands","version":"3.2.1","keywords":["treadle-plugin"],"oclif":{"commands":"./commands"}}',
    }, { modules: false });
    symlinkSync(join(folder, 'node_modules/@treadle'), join(own, 'node_modules/@treadle'));
    const { stdout } = await runCli(['plugins', 'list', '--json'], { cwd: own });
    removeApp(own);
    const { plugins } = JSON.parse(stdout) as { plugins: readonly object[] };
    expect(plugins[0]).to.deep.equal({ name: 'acme-commands', version: '3.2.1', builtin: false, classes: [], commands: true });
  });

  for (const [name, id] of [['acme-treadle-beat', 'acme::beat::BeatModule'], ['@acme/beat', 'acme::beat::BeatModule'], ['beat', 'beat::beat::BeatModule'],
    ['treadle-plugin-acme-line-printer', 'acme::line_printer::LinePrinterModule']] as const) {
    it(`calls the class of ${name} ${id}`, () => expect(pluginNames(name).class).to.equal(id));
  }

  for (const [name, id, type] of [['acme-treadle-sqs', 'acme::queue::adapters::Sqs', 'SqsQueue'], ['@acme/big-table', 'acme::queue::adapters::BigTable', 'BigTableQueue'],
    ['redis', 'redis::queue::adapters::Redis', 'RedisQueue']] as const) {
    it(`calls the queue adapter of ${name} ${id}`, () => expect(pluginNames(name, { slot: 'queue' })).to.include({ class: id, name: type }));
  }
});

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Bench, expectGolden, fixture } from './engine-process.fixture.js';

describe('treadle-engine --check', () => {
  let bench: Bench;
  beforeEach(() => { bench = new Bench(); });
  afterEach(() => bench.remove());

  const check = (...args: string[]): ReturnType<Bench['run']> => bench.run(['--check', ...args]);

  it('sums up a valid file in one line, 0', async () => {
    bench.writeProbes('  - class: acme::probe::ProbeModule\n    config: { port: 0, label: "${LABEL:x}" }\n');
    expect(await bench.run(['--check', '--config', 'config.yaml'], { LABEL: 'set' })).to.deep.equal({
      code: 0, stdout: 'config.yaml: valid. 1 module, 0 adapters, 1 value from the environment.\n', stderr: '',
    });
  });

  it('finds the default configuration valid', async () => {
    const { code, stdout, stderr } = await check();
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.match(/^default configuration: valid\. 8 modules, \d+ adapters?, 2 values from the environment\.\n$/);
  });

  it('prints every error and warning of a broken file in the order of its lines, 78', async () => {
    bench.writeProbes([
      '  - class: acme::probe::ProbeModule',
      '    config: { port: abc, labl: x, old_label: y }',
      '  - class: acme::probe::ProbModule',
      '  - class: acme::probe::ProbeModule',
      '    config: { port: "${PROBE_PORT}", trouble: some }',
      '  - clas: acme::probe::ProbeModule',
      '',
    ].join('\n'), '  data_dirr: x\n  drain_delay_ms: 5s\n');
    const { code, stdout, stderr } = await check('--config', 'config.yaml');
    expect([code, stderr]).to.deep.equal([78, '']);
    expectGolden('check-broken.txt', stdout);
  });

  it('finds what a start would refuse: a folder that is not there, a port for strangers without a token', async () => {
    bench.write('config.yaml', [
      'engine: { implicit_modules: false }', 'modules:', '  - class: modules::http::HttpModule', '    config:', '      headers_timeout_ms: 60000', '      static:',
      '        - path: /', '          dir: nowhere', '  - class: modules::steps::StepsModule', '    config:', '      host: 0.0.0.0', '',
    ].join('\n'));
    const { code, stdout } = await check('--config', 'config.yaml');
    expect(code).to.equal(78);
    expect(stdout).to.match(/^config\.yaml:5:\d+ {2}error {2}CONFIG_CONFLICT {2}modules\[0\]\.config\.headers_timeout_ms: 60000 is more than request_timeout_ms, 30000/m);
    expect(stdout).to.match(/^config\.yaml:8:\d+ {2}error {2}CONFIG_CONFLICT {2}modules\[0\]\.config\.static\[0\]\.dir: there is no folder ".*nowhere"/m);
    expect(stdout).to.match(/^config\.yaml:11:\d+ {2}error {2}CONFIG_CONFLICT {2}modules\[1\]\.config\.host: "0\.0\.0\.0" is reachable/m);
  });

  it('warns of a deprecated key and stays valid', async () => {
    bench.writeProbes('  - class: acme::probe::ProbeModule\n    config: { old_label: y }\n');
    const { code, stdout } = await check('--config', 'config.yaml');
    expect(code).to.equal(0);
    expectGolden('check-deprecated.txt', stdout);
  });

  it('says for each name of another engine of the family what to write here', async () => {
    bench.write('config.yaml', fixture('family-sample.yaml'));
    const { code, stdout } = await check('--config', 'config.yaml');
    expect(code).to.equal(78);
    expectGolden('check-family.txt', stdout);
    const faults = stdout.split('\n').filter((line) => line.startsWith('config.yaml:')).length;
    expect(stdout.match(/^ {4}hint: /gm)).to.have.length(faults);
  });

  it('accepts the base specification\'s sample as it stands', async () => {
    bench.write('config.yaml', fixture('base-sample.yaml'));
    const { code, stdout } = await check('--config', 'config.yaml');
    expect([code, stdout]).to.deep.equal([0, 'config.yaml: valid. 8 modules, 6 adapters, 2 values from the environment.\n']);
  });

  it('finds two durabilities for one file, written or by default, and names both lines', async () => {
    bench.write('config.yaml', [
      'modules:', '  - class: modules::state::StateModule', '    config:', '      adapter:', '        class: modules::state::adapters::Sqlite', '        config:',
      '          durability: relaxed', '  - class: modules::cron::CronModule', '    config:', '      adapter:', '        class: modules::cron::adapters::Sqlite', '',
    ].join('\n'));
    const { code, stdout } = await check('--config', 'config.yaml');
    expect(code).to.equal(78);
    const lines = stdout.split('\n');
    const at = lines.findIndex((line) => line.includes('modules[1]'));
    const [conflict, hint] = lines.slice(at);
    const file = join(bench.folder, 'data/treadle.db');
    expect([conflict, hint]).to.deep.equal([
      `config.yaml:7:23  error  CONFIG_CONFLICT  modules[0].config.adapter.config.durability: "relaxed" for "${file}", for which `
      + 'modules[1].config.adapter.config.durability (config.yaml:11) says "full"',
      '    hint: adapters that share a file need the same durability; give one of them a file_path of its own or the other\'s durability',
    ]);
  });

  it('names the port that no module provides', async () => {
    bench.writeProbes('  - class: acme::probe::NeedyModule\n');
    const { code, stdout } = await check('--config', 'config.yaml');
    expect(code).to.equal(78);
    expectGolden('check-port-missing.txt', stdout);
  });

  const unreadable: [string, () => string, RegExp][] = [
    ['a file that is not there', () => 'no.yaml', /^no\.yaml {2}error {2}CONFIG_NOT_FOUND {2}there is no file "no\.yaml"\n1 error\n$/],
    ['a folder', () => { mkdirSync(join(bench.folder, 'sub')); return 'sub'; }, /^sub {2}error {2}CONFIG_NOT_READABLE /],
    ['text that is no YAML', () => bench.write('bad.yaml', 'modules: [\n'), /^bad\.yaml:\d+:\d+ {2}error {2}CONFIG_SYNTAX /],
    ['a duplicate key', () => bench.write('dup.yaml', 'modules: []\nmodules: []\n'), /^dup\.yaml:2:1 {2}error {2}CONFIG_SYNTAX /],
    ['a file of more than 1 MB', () => bench.write('big.yaml', `# ${'x'.repeat(1_000_001)}`), /^big\.yaml {2}error {2}CONFIG_TOO_LARGE /],
  ];
  for (const [name, make, expected] of unreadable) {
    it(`refuses ${name}, 78`, async () => {
      const { code, stdout } = await check('--config', make());
      expect(code).to.equal(78);
      expect(stdout).to.match(expected).and.match(/\n1 error\n$/);
    });
  }
});

describe('treadle-engine --print-config', () => {
  let bench: Bench;
  beforeEach(() => { bench = new Bench(); });
  afterEach(() => bench.remove());

  it('prints every value with its origin and no secret', async () => {
    bench.writeProbes('  - class: acme::probe::ProbeModule\n    config: { port: 4000, password: "${SECRET}" }\n');
    const { code, stdout, stderr } = await bench.run(
      ['--print-config', '--config', 'config.yaml'], { SECRET: 'hunter2', PROBE_LABEL: 'from-env' });
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).not.to.contain('hunter2');
    expectGolden('print-config.txt', stdout.replaceAll(bench.probe, '<probe>'));
  });

  it('prints the default configuration', async () => {
    const { code, stdout } = await bench.run(['--print-config']);
    expect(code).to.equal(0);
    expect(stdout).to.contain('modules::http::HttpModule').and.contain('modules::steps::StepsModule');
  });

  it('prints the errors of an invalid file on standard error, 78', async () => {
    bench.writeProbes('  - class: acme::probe::ProbModule\n');
    const { code, stdout, stderr } = await bench.run(['--print-config', '--config', 'config.yaml']);
    expect([code, stdout]).to.deep.equal([78, '']);
    expect(stderr).to.contain('CONFIG_UNKNOWN_CLASS');
  });
});

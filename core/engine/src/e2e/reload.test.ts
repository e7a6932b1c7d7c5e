import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { Bench, type EngineProcess } from './engine-process.fixture.js';

const RUN = ['--config', 'config.yaml'];
const probes = (a: string, b: string): string => ['a', 'b'].map((name, index) =>
  `  - class: acme::probe::ProbeModule\n    name: ${name}\n    config: { label: ${[a, b][index]} }\n`).join('');

describe('treadle-engine, reload', () => {
  let bench: Bench;
  let engine: EngineProcess;
  beforeEach(() => { bench = new Bench(); });
  afterEach(() => bench.remove());

  interface Answer { label: string; birth: number }
  async function ask(name: 'a' | 'b'): Promise<Answer> {
    await engine.line('ready');
    const id = `acme::probe::ProbeModule#${name}`;
    const latest = engine.lines.filter((line) => line['message'] === 'module started' && line['module'] === id).at(-1);
    return await (await fetch(latest?.['address'] as string)).json() as Answer;
  }

  async function start(args = RUN): Promise<{ a: Answer; b: Answer }> {
    bench.writeProbes(probes('one', 'two'));
    engine = bench.start(args);
    await engine.line('ready');
    return { a: await ask('a'), b: await ask('b') };
  }

  it('restarts at SIGHUP only what changed', async () => {
    const before = await start();
    bench.writeProbes(probes('changed', 'two'));
    engine.signal('SIGHUP');
    await engine.line('reloaded');
    const report = { started: [], stopped: [], restarted: ['acme::probe::ProbeModule#a'], unchanged: ['acme::probe::ProbeModule#b'] };
    expect(await engine.line('configuration reloaded')).to.deep.include(report);
    const after = { a: await ask('a'), b: await ask('b') };
    expect(after.a.label).to.equal('changed');
    expect(after.a.birth).to.be.greaterThan(before.b.birth);
    expect(after.b).to.deep.equal(before.b);
  });

  it('refuses a broken file at SIGHUP, prints why, and what runs stays', async () => {
    const before = await start();
    bench.writeProbes(probes('changed', 'two').replace('label', 'labl'));
    engine.signal('SIGHUP');
    await engine.line('configuration refused; the running one stays');
    expect(engine.stderr).to.match(/^config\.yaml:\d+:\d+ {2}error {2}CONFIG_UNKNOWN_KEY .*labl/);
    expect({ a: await ask('a'), b: await ask('b') }).to.deep.equal(before);
    bench.writeProbes(probes('mended', 'two'));
    engine.signal('SIGHUP');
    await engine.line('reloaded');
    expect((await ask('a')).label).to.equal('mended');
  });

  it('refuses another data directory while it runs', async () => {
    await start();
    bench.writeProbes(probes('one', 'two'), '  data_dir: elsewhere\n');
    engine.signal('SIGHUP');
    await engine.line('configuration refused; the running one stays');
    expect(engine.stderr).to.match(/CONFIG_CONFLICT {2}engine\.data_dir: cannot change from ".*data" to ".*elsewhere" while the engine runs\n {4}hint: restart the engine/);
  });

  it('goes back when the new configuration does not start', async () => {
    await start();
    bench.writeProbes(probes('one', 'two, trouble: start'));
    engine.signal('SIGHUP');
    await engine.line('the new configuration did not start; the former one is back');
    expect((await ask('a')).label).to.equal('one');
    expect((await ask('b')).label).to.equal('two');
  });

  it('follows the file with --watch, also when an editor replaces it', async () => {
    await start([...RUN, '--watch']);
    for (const [round, label] of ['first', 'second'].entries()) {
      bench.write('.config.yaml.swp', bench.probeText(probes(label, 'two')));
      renameSync(join(bench.folder, '.config.yaml.swp'), join(bench.folder, 'config.yaml'));
      await engine.line('reloaded', round);
      expect((await ask('a')).label).to.equal(label);
    }
  });

  it('applies with --watch what is saved while the engine starts', async () => {
    bench.writeProbes(probes('one', 'two'));
    engine = bench.start([...RUN, '--watch']);
    // Written when the plan is made, and before anything of it is built.
    while (!existsSync(join(bench.folder, 'data', 'engine.json'))) await nextTurn();
    bench.writeProbes(probes('saved early', 'two'));
    await engine.line('reloaded');
    expect((await ask('a')).label).to.equal('saved early');
  });
});

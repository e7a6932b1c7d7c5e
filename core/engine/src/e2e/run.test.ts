import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { Bench, type EngineProcess } from './engine-process.fixture.js';

const RUN = ['--config', 'config.yaml'];
const PROBE = '  - class: acme::probe::ProbeModule\n';
const probe = (config: string): string => `${PROBE}    config: ${config}\n`;

describe('treadle-engine, life', () => {
  let bench: Bench;
  beforeEach(() => { bench = new Bench(); });
  afterEach(() => bench.remove());

  async function ready(config = '{ label: one }', engine = ''): Promise<{ engine: EngineProcess; url: string }> {
    bench.writeProbes(probe(config), engine);
    const started = bench.start(RUN);
    const { 'probe.main': url } = await started.line('ready');
    return { engine: started, url: url as string };
  }

  it('starts the one module that it is told to, and nothing else', async () => {
    const { engine, url } = await ready();
    expect(await (await fetch(url)).json()).to.deep.include({ label: 'one' });
    const modules = engine.lines.filter((line) => line['message'] === 'module started');
    expect(modules).to.have.length(1);
    expect(modules[0]).to.include({ module: 'acme::probe::ProbeModule', address: url });
    expect(await engine.line('ready')).to.include.keys('ms', 'application', 'mode', 'config');
  });

  it('starts one built-in module alone, without the implicit ones', async () => {
    bench.write('config.yaml', 'engine: { implicit_modules: false }\nmodules:\n  - class: modules::http::HttpModule\n    config: { port: 0 }\n');
    const engine = bench.start(RUN);
    const { http } = await engine.line('ready');
    expect(await (await fetch(`${http as string}/health`)).text()).to.equal('{"status":"ok"}');
    const started = engine.lines.filter((line) => line['message'] === 'module started').map((line) => line['module']);
    expect(started).to.deep.equal(['modules::http::HttpModule']);
  });

  it('says which class served an alias', async () => {
    bench.writeProbes('  - class: acme::probe::FormerProbe\n');
    expect(await bench.start(RUN).line('class served under another name')).to.include({
      written: 'acme::probe::FormerProbe', class: 'acme::probe::ProbeModule',
    });
  });

  it('writes lines for people when it is asked to, and the boot tree at debug', async () => {
    bench.writeProbes(PROBE);
    const engine = bench.start(RUN, { LOG_FORMAT: 'text', LOG_LEVEL: 'debug' });
    while (!engine.stdout.includes(' ready ')) await new Promise((resolve) => { setTimeout(resolve, 10); });
    expect(engine.stdout).to.match(/^\d\d:\d\d:\d\d\.\d{3} INFO {2}module started module=acme::probe::ProbeModule address=http/m);
    expect(engine.stdout).to.match(/DEBUG boot .*phase=start/);
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`stops at ${signal}, gives the data directory back and exits 0`, async () => {
      const { engine } = await ready();
      expect(existsSync(join(bench.folder, 'data', 'engine.json'))).to.equal(true);
      engine.signal(signal);
      expect((await engine.ended).code).to.equal(0);
      expect(await engine.line('stopping')).to.include({ signal });
      expect(existsSync(join(bench.folder, 'data', 'engine.json'))).to.equal(false);
    });
  }

  for (const [second, code] of [['SIGTERM', 143], ['SIGINT', 130]] as const) {
    it(`exits ${code} at once when ${second} is the second signal`, async () => {
      const { engine } = await ready('{ drain_ms: 20000 }');
      engine.signal('SIGTERM');
      await engine.line('stopping');
      await new Promise((resolve) => { setTimeout(resolve, 150); });
      engine.signal(second);
      expect((await engine.ended).code).to.equal(code);
      expect(existsSync(join(bench.folder, 'data', 'engine.json'))).to.equal(false);
    });
  }

  it('leaves no Step process behind at a second signal, and waits for none', async function () {
    this.timeout(120_000);
    bench.writeSteps({ 'stuck.step.js': `export const config = { name: 'Stuck', triggers: [{ type: 'http', method: 'GET', path: '/stuck/:how' }] };
export const handler = async ({ pathParams }, { logger }) => {
  if (pathParams.how === 'pid') return { status: 200, body: { pid: process.pid } };
  logger.info('stuck now');
  return new Promise(() => undefined);
};
` });
    bench.write('config.yaml', 'engine: { implicit_modules: false }\nmodules:\n  - { class: modules::http::HttpModule, config: { port: 0, max_event_loop_delay_ms: 60000 } }\n  - { class: modules::steps::StepsModule, config: { port: false } }\n');
    // It took a second before, each time; a process that is killed is gone in some milliseconds, if the machine has time for it.
    const times: number[] = [];
    for (let tries = 0; tries < 4 && !times.some((ms) => ms < 900); tries += 1) times.push(await secondSignal());
    expect(Math.min(...times)).to.be.lessThan(900);
  });

  /** Milliseconds from the second signal to the end of an engine whose handler does not end. */
  async function secondSignal(): Promise<number> {
    const engine = bench.start(RUN);
    const { http } = await engine.line('ready');
    while ((await fetch(`${http as string}/health`)).status !== 200) await new Promise((resolve) => { setTimeout(resolve, 20); });
    const { pid } = await (await fetch(`${http as string}/stuck/pid`)).json() as { pid: number };
    expect(pid).to.be.greaterThan(0);
    void fetch(`${http as string}/stuck/ever`).catch(() => undefined);
    await engine.line('stuck now');
    engine.signal('SIGTERM');
    await engine.line('stopping');
    await new Promise((resolve) => { setTimeout(resolve, 300); });
    const at = performance.now();
    engine.signal('SIGTERM');
    expect((await engine.ended).code).to.equal(143);
    const ms = performance.now() - at;
    // Killed before the engine was gone; the system may take a moment to clear it away.
    for (let tries = 0; isAlive(pid) && tries < 1_000; tries += 1) await new Promise((resolve) => { setTimeout(resolve, 10); });
    expect(isAlive(pid)).to.equal(false);
    return ms;
  }

  it('waits for the drain, then exits 0', async () => {
    const { engine } = await ready('{ drain_ms: 400 }');
    engine.signal('SIGTERM');
    expect((await engine.ended).code).to.equal(0);
    expect((await engine.line('engine stopped'))['ms']).to.be.at.least(390);
  });

  it('stops at SIGTERM while a module hangs in its start, 0', async () => {
    bench.writeProbes(probe('{ trouble: hang }'));
    const engine = bench.start(RUN);
    while (!existsSync(join(bench.folder, 'data', 'engine.json'))) await new Promise((resolve) => { setTimeout(resolve, 10); });
    await new Promise((resolve) => { setTimeout(resolve, 200); });
    engine.signal('SIGTERM');
    expect((await engine.ended).code).to.equal(0);
  });

  it('tells pid, addresses and start time in engine.json, for the owner alone', async () => {
    const { engine, url } = await ready();
    const file = join(bench.folder, 'data', 'engine.json');
    const record = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    expect(record).to.deep.include({ pid: engine.pid, addresses: { 'probe.main': url } });
    expect(Date.parse(record['startedAt'] as string)).to.be.closeTo(Date.now(), 60_000);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(statSync(join(bench.folder, 'data')).mode & 0o777).to.equal(0o700);
  });

  it('refuses a second engine on the same data with the pid of the first, 69, until that one is killed', async () => {
    const { engine } = await ready();
    const second = await bench.run(RUN);
    expect(second.code).to.equal(69);
    expect(second.stderr).to.match(new RegExp(`^error  DATA_DIR_LOCKED  .* by an engine with pid ${engine.pid}\n`));
    engine.signal('SIGKILL');
    await engine.ended;
    const third = bench.start(RUN);
    await third.line('ready');
    third.signal('SIGTERM');
    expect((await third.ended).code).to.equal(0);
  });

  it('still refuses when the first one is frozen', async () => {
    const { engine } = await ready();
    engine.signal('SIGSTOP');
    expect((await bench.run(RUN)).code).to.equal(69);
    engine.signal('SIGCONT');
  });

  it('lets exactly one of five engines start', async function () {
    this.timeout(180_000);
    bench.writeProbes(PROBE);
    const engines = Array.from({ length: 5 }, () => bench.start(RUN));
    const winners = await Promise.all(engines.map((engine) =>
      Promise.race([engine.line('ready').then(() => 1, () => 0), engine.ended.then(({ code }) => (code === 69 ? 0 : NaN))])));
    expect(winners.reduce<number>((sum, one) => sum + one, 0)).to.equal(1);
  });

  it('exits 74 when the data directory cannot be made', async () => {
    writeFileSync(join(bench.folder, 'file'), '');
    bench.writeProbes(PROBE, '  data_dir: file/data\n');
    const { code, stderr } = await bench.run(RUN);
    expect(code).to.equal(74);
    expect(stderr).to.match(/^error {2}DATA_DIR_UNUSABLE {2}data directory ".*file\/data" cannot be used: ENOTDIR/);
  });

  it('exits 78 with the findings and no stack trace when the configuration is invalid', async () => {
    bench.writeProbes(probe('{ port: abc }'));
    const { code, stdout, stderr } = await bench.run(RUN);
    expect([code, stdout]).to.deep.equal([78, '']);
    expect(stderr).to.match(/^config\.yaml:\d+:\d+ {2}error {2}CONFIG_BAD_VALUE {2}modules\[0\]\.config\.port: /);
    expect(stderr).not.to.match(/\n\s+at /);
    expect(existsSync(join(bench.folder, 'data'))).to.equal(false);
  });

  it('exits 70 and names the class when a module fails in its start', async () => {
    bench.writeProbes(probe('{ trouble: start }'));
    const { code, stderr } = await bench.run(RUN);
    expect(code).to.equal(70);
    expect(stderr).to.match(/error {2}MODULE_START_FAILED {2}acme::probe::ProbeModule \(modules\[0\]\) failed in start after \d+ ms: .*no luck today\n/);
    expect(stderr).not.to.match(/\n\s+at /);
    expect(existsSync(join(bench.folder, 'data', 'engine.json'))).to.equal(false);
  });

  it('exits 70 when a module fails in its stop', async () => {
    const { engine } = await ready('{ trouble: stop }');
    engine.signal('SIGTERM');
    expect((await engine.ended).code).to.equal(70);
    expect(engine.lines.map((line) => line['code'])).to.include('MODULE_STOP_FAILED');
  });

  it('exits with the code of the error that a module ends the engine with', async () => {
    const { engine, url } = await ready();
    await (await fetch(`${url}/fatal`)).text();
    const { code, stderr } = await engine.ended;
    expect(code).to.equal(69);
    expect(stderr).to.contain('SERVICE_UNAVAILABLE  the probe is not available: asked to');
  });

  for (const [path, text] of [['/throw', 'x is not a function'], ['/reject', 'nobody caught this']] as const) {
    it(`exits 70 with one line and the stack in the log when an error comes from nowhere (${path})`, async () => {
      const { engine, url } = await ready('{ drain_ms: 20000 }');
      await (await fetch(url + path)).text();
      const { code, stderr } = await engine.ended;
      expect(code).to.equal(70);
      expect(stderr).to.equal(`error  INTERNAL  the engine failed: TypeError: ${text}\n`);
      expect((await engine.line('the engine ends'))['error']).to.have.property('stack').that.contains('acme-probe');
    });
  }

  it('names the setting when the HTTP port is in use, 69', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    bench.write('config.yaml', 'engine: { implicit_modules: false }\nmodules:\n  - class: modules::http::HttpModule\n'
      + `    config: { port: ${port} }\n`);
    const { code, stderr } = await bench.run(RUN);
    taken.close();
    expect(code).to.equal(69);
    expect(stderr).to.contain(`ADDRESS_IN_USE  address 127.0.0.1:${port} is already in use`);
    expect(stderr).to.match(/^config\.yaml:4:21 [^]*hint: end .*, or take port \d+, which is free: write "port: \d+" there$/m);
  });

  it('goes on when the reader of its output went away', async () => {
    const { engine, url } = await ready();
    engine.closeStdout();
    await fetch(`${url}/reject`);
    const { code } = await engine.ended;
    expect(code).to.equal(70);
  });
});

/** A process that has ended and that nobody has asked about counts as gone. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync(`/proc/${pid}/stat`) || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // ESRCH, or gone between the two looks.
    return false;
  }
}

import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { addFiles, makeApp, removeApp, runCli, startCli, until, type CommandOutcome } from '../cli.fixture.js';
import { checkNode } from '../doctor/runtimes.js';

const PORTS = (port: number): string => `modules:
  - class: modules::http::HttpModule
    config: { port: ${port} }
  - class: modules::steps::StepsModule
    config: { port: 0 }
`;

interface Report {
  readonly fit: boolean;
  readonly findings: readonly { readonly subject: string; readonly status: string; readonly detail: string; readonly remedy?: string }[];
}

describe('treadle doctor', function () {
  this.timeout(120_000);
  let folder: string;
  beforeEach(() => { folder = makeApp({ 'config.yaml': PORTS(0) }); });
  afterEach(() => removeApp(folder));
  const doctor = (...args: string[]): Promise<CommandOutcome> => runCli(['doctor', ...args], { cwd: folder });
  const report = async (): Promise<{ readonly code: number | null; readonly fit: boolean; readonly of: (subject: string) => Report['findings'][number] | undefined }> => {
    const { code, stdout, stderr } = await doctor('--json');
    expect(stderr).to.equal('');
    const { fit, findings } = JSON.parse(stdout) as Report;
    return { code, fit, of: (subject) => findings.find((finding) => finding.subject === subject) };
  };

  it('finds a fit machine fit, measures its disk and leaves nothing behind', async () => {
    const before = readdirSync(folder).sort();
    const { code, stdout } = await doctor();
    expect(code, stdout).to.equal(0);
    for (const line of [/^ok +node +Node\.js \d+/m, /^ok +configuration +config\.yaml: valid/m, /^ok +engine +none runs on the data folder$/m,
      /^(ok|warning) +disk +a durable write takes \d+\.\d\d ms \(median of 25\)$/m, /^(ok|warning) +room +\d+\.\d GiB free$/m]) expect(stdout).to.match(line);
    expect(readdirSync(folder).sort()).to.deep.equal(before);
  });

  it('says which files of the data folder every user can read', async function () {
    if (process.platform === 'win32') return this.skip();
    addFiles(folder, { 'data/treadle.db': '', 'data/treadle.db.lock': '', 'data/treadle.db.pid': '', 'data/other.db': '' });
    for (const name of ['treadle.db', 'treadle.db.lock', 'treadle.db.pid']) chmodSync(join(folder, 'data', name), 0o644);
    chmodSync(join(folder, 'data/other.db'), 0o640);
    chmodSync(join(folder, 'data'), 0o755);
    expect((await report()).of('access')).to.deep.equal({
      subject: 'access', status: 'warning', detail: `every user of this machine can read treadle.db in ${join(folder, 'data')}`, remedy: `chmod 700 ${join(folder, 'data')}`,
    });
    chmodSync(join(folder, 'data'), 0o750);
    expect((await report()).of('access')).to.deep.include({ status: 'ok' });
  });

  it('names the port that another process has, exit code 69', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    addFiles(folder, { 'config.yaml': PORTS(port) });
    const { code, fit, of } = await report();
    server.close();
    expect({ code, fit }).to.deep.equal({ code: 69, fit: false });
    expect(of(`port ${port}`)).to.deep.equal({
      subject: `port ${port}`, status: 'failed', detail: `another process listens on 127.0.0.1:${port}, which modules::http::HttpModule needs`,
      remedy: 'end that process, or choose another "port" in its config',
    });
    expect((await report()).of(`port ${port}`)).to.include({ status: 'ok', detail: `free on 127.0.0.1 for modules::http::HttpModule` });
  });

  it('knows a running engine from one that died', async () => {
    const engine = startCli(['dev', '--config', 'config.yaml'], { cwd: folder });
    const file = join(folder, 'data/engine.json');
    const isUp = (): boolean => existsSync(file) && readFileSync(file, 'utf8').includes('http://');
    await until(isUp);
    expect((await report()).of('engine')).to.include({ status: 'ok', detail: `version 0.1.0 runs on the data folder (pid ${engine.pid})` });
    engine.kill('SIGKILL');
    await once(engine, 'close');
    const { code, of } = await report();
    expect(of('engine')).to.include({ status: 'warning', detail: `an engine (pid ${engine.pid}) ended without taking back engine.json` });
    expect(code).to.equal(0);
  });

  it('names a data folder that cannot be', async () => {
    addFiles(folder, { 'config.yaml': `engine: { data_dir: occupied/data }\n${PORTS(0)}`, occupied: 'a file' });
    const { code, of } = await report();
    expect(code).to.equal(69);
    expect(of('data folder')).to.include({ status: 'failed', remedy: 'give this user the folder, or name another one by "engine.data_dir"' });
    expect(of('data folder')!.detail).to.include(join(folder, 'occupied/data'));
  });

  it('wants Python only where a Step needs it', async () => {
    const runtimes = '[{ class: modules::runtime::adapters::Python, config: { python: no-such-python } }]';
    addFiles(folder, { 'config.yaml': `modules:\n  - class: modules::http::HttpModule\n    config: { port: 0 }\n  - class: modules::steps::StepsModule\n    config: { port: 0, runtimes: ${runtimes} }\n` });
    const { code, of } = await report();
    expect(code).to.equal(69);
    expect(of('python')).to.include({ status: 'failed' });
    expect(of('python')!.detail).to.include('no-such-python');
  });

  it('sums up a faulty configuration, exit code 78', async () => {
    writeFileSync(join(folder, 'config.yaml'), 'modules:\n  - class: modules::http::HttpModul\n');
    const { code, of } = await report();
    expect(code).to.equal(78);
    expect(of('configuration')!.detail).to.include('config.yaml: 1 error, the first: config.yaml:2:12  error  CONFIG_UNKNOWN_CLASS');
  });

  it('finds packages that do not belong together', async () => {
    const own = makeApp({ 'config.yaml': PORTS(0), 'node_modules/treadle/package.json': '{"name":"treadle","version":"0.0.9"}' }, { modules: false });
    mkdirSync(join(own, 'node_modules/@treadle'), { recursive: true });
    const { stdout } = await runCli(['doctor', '--json'], { cwd: own });
    removeApp(own);
    const versions = (JSON.parse(stdout) as Report).findings.find(({ subject }) => subject === 'versions');
    expect(versions).to.include({ status: 'warning', detail: 'this command 0.1.0, treadle 0.0.9' });
  });

  for (const [version, status] of [['18.20.8', 'failed'], ['20.18.9', 'failed'], ['20.19.0', 'ok'], ['21.7.0', 'warning'], ['22.1.0', 'ok']] as const) {
    it(`calls Node.js ${version} ${status}`, () => expect(checkNode(version).status).to.equal(status));
  }
});

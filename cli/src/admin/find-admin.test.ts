import { expect } from 'chai';
import { addFiles, type CommandOutcome, makeApp, removeApp, runCli } from '../cli.fixture.js';
import { FakeAdmin } from './admin-server.fixture.js';

describe('commands find the engine', function () {
  this.timeout(120_000);
  let admin: FakeAdmin;
  let url: string;
  let app: string;
  beforeEach(async () => {
    app = makeApp();
    admin = new FakeAdmin();
    url = await admin.start();
    admin.answers.set('GET /queues', [200, { items: [], unrouted: [] }]);
  });
  afterEach(async () => {
    await admin.stop();
    removeApp(app);
  });

  const record = (addresses: object): string => JSON.stringify({ id: 'a'.repeat(16), lock: 'engine.sock', pid: 4711, addresses });
  const inApp = (args: readonly string[], env: Record<string, string> = {}): Promise<CommandOutcome> =>
    runCli(args, { cwd: app, env: { TREADLE_ADMIN_URL: '', ADMIN_TOKEN: '', ...env } });

  it('in data/engine.json, with the token beside it', async () => {
    addFiles(app, { 'data/engine.json': record({ console: url }), 'data/admin.token': 'of-the-file\n' });
    expect((await inApp(['queue', 'list'], { ADMIN_TOKEN: 'of-the-environment' })).code).to.equal(0);
    expect(admin.last?.headers.authorization).to.equal('Bearer of-the-file');
  });

  it('in the data directory of the configuration, with variables from .env', async () => {
    addFiles(app, {
      'ops/config.yaml': 'engine:\n  data_dir: ${WHERE:nowhere}/store\nmodules: []\n', 'ops/.env': 'WHERE=kept\nADMIN_TOKEN=of-dotenv\n', 'ops/kept/store/engine.json': record({ console: url }),
    });
    expect((await inApp(['queue', 'list', '--config', 'ops/config.yaml'], {})).stderr).to.equal('');
    expect(admin.last?.headers.authorization).to.equal(undefined);
  });

  it('by --url before TREADLE_ADMIN_URL before the file, and sends the file\'s token to this machine only', async () => {
    addFiles(app, { 'data/engine.json': record({ console: 'http://127.0.0.1:1' }), 'data/admin.token': 'of-the-file\n' });
    expect((await inApp(['queue', 'list', '--url', `${url}/`], { TREADLE_ADMIN_URL: 'http://127.0.0.1:1' })).code).to.equal(0);
    expect(admin.last?.headers.authorization).to.equal('Bearer of-the-file');
    expect((await inApp(['queue', 'list'], { TREADLE_ADMIN_URL: url, ADMIN_TOKEN: 'own' })).code).to.equal(0);
    expect(admin.last?.headers.authorization).to.equal('Bearer own');
  });

  it('or say that none runs, exit code 69', async () => {
    expect(await inApp(['state', 'list'])).to.deep.equal({
      code: 69, stdout: '', stderr: `error  ENGINE_NOT_RUNNING  no engine runs on data directory "${app}/data"\n    hint: start it, or name another one with --url or --config\n`,
    });
    addFiles(app, { 'data/engine.json': JSON.stringify({ addresses: { console: url } }) });
    expect((await inApp(['state', 'list'])).stderr, 'a record that no engine wrote').to.contain('ENGINE_NOT_RUNNING');
    addFiles(app, { 'data/engine.json': record({}) });
    expect((await inApp(['state', 'list'])).stderr).to.contain('the engine with pid 4711 is still starting');
    addFiles(app, { 'data/engine.json': record({ http: 'http://127.0.0.1:3111' }) });
    expect(await inApp(['state', 'list'])).to.deep.equal({
      code: 69, stdout: '', stderr: 'error  ADMIN_NOT_SERVED  the engine with pid 4711 serves no admin API\n    hint: add modules::console::ConsoleModule to its configuration\n',
    });
    addFiles(app, { 'data/engine.json': record({ console: 'http://127.0.0.1:1' }) });
    expect(await inApp(['state', 'list'])).to.deep.equal({
      code: 69, stdout: '', stderr: 'error  ADMIN_UNREACHABLE  the admin API at http://127.0.0.1:1 does not answer: connect ECONNREFUSED 127.0.0.1:1\n    hint: see whether the engine runs and whether the address is its own\n',
    });
  });

  it('refuse an address that is none, exit code 64', async () => {
    for (const given of ['127.0.0.1:3113', 'ftp://x', 'nonsense', 'http://u:p@x', 'http://x/?token=1']) {
      const { code, stderr } = await inApp(['queue', 'list', '--url', given]);
      expect({ code, stderr }).to.deep.equal({ code: 64, stderr: `error  USAGE  --url must be an address such as http://127.0.0.1:3113, got "${given}"\n` });
    }
  });
});

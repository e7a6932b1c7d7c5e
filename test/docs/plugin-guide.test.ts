import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { connectAsync, type MqttClient } from 'mqtt';
import { ROOT } from '../architecture/workspace.js';
import { AdminClient } from '../support/admin-client.js';
import { cleanEnvironment, EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { Mosquitto } from '../support/mosquitto.js';
import { requireOrSkip } from '../support/requirement.js';
import { type Files, tempApplication, tempFolder, writeFiles } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';
import { filesIn } from './guide-application.js';

const GUIDE = 'docs/plugin-guide.md';
const NAME = 'acme-treadle-mqtt';

interface Alarms {
  readonly count: number;
  readonly last: string;
}

function filesBelow(folder: string): Files {
  return Object.fromEntries(Object.entries(filesIn(GUIDE)).filter(([name]) => name.startsWith(`${folder}/`)));
}

describe('the guide to plugins', function () {
  this.timeout(180_000);
  const place = tempFolder();
  const plugin = join(place, NAME);
  let broker: Mosquitto | undefined;
  let client: MqttClient;

  before(async function () {
    requireOrSkip(this, Mosquitto.isInstalled, 'mosquitto is not installed');
    broker = await Mosquitto.start();
    client = await connectAsync(broker.url);
  });
  afterEach(() => stopAllEngines());
  after(async () => {
    await client?.endAsync();
    await broker?.stop();
  });

  const run = (command: string, args: readonly string[], cwd: string): SpawnSyncReturns<string> =>
    spawnSync(command, args, { cwd, encoding: 'utf8', env: { ...cleanEnvironment(), MQTT_URL: broker?.url } });

  it('begins with a package whose kit says what is not written', () => {
    expect(run(process.execPath, [join(ROOT, 'cli/bin/run.js'), 'plugin', 'new', NAME, '--kind', 'trigger'], place).status).to.equal(0);
    symlinkSync(join(ROOT, 'node_modules'), join(plugin, 'node_modules'));
    const { status, stdout } = run('npm', ['test'], plugin);
    expect(status).to.equal(1);
    expect(stdout).to.include('not implemented: open of MqttSource').and.include('not implemented: close of MqttSource');
  });

  it('ends with one that passes it', () => {
    writeFiles(plugin, filesBelow('src'));
    rmSync(join(plugin, 'src/not-implemented.ts'));
    rmSync(join(plugin, 'dist'), { recursive: true });
    const { status, stdout } = run('npm', ['test'], plugin);
    expect(status, stdout).to.equal(0);
    expect(stdout).to.match(/(# pass|ℹ pass) 26$/m);
  });

  it('shows an application in which it works, also for what comes while the engine is away', async () => {
    const modules = `plugins: [${plugin}]\nmodules:\n  - class: acme::mqtt::MqttModule\n    config: { url: '${broker?.url}', client_id: shop-1 }\n`
      + '  - class: modules::http::HttpModule\n    config: { port: 0, max_event_loop_delay_ms: 60000 }\n  - class: modules::steps::StepsModule\n    config: { port: 0 }\n';
    const cwd = tempApplication({ ...filesBelow('steps'), 'config.yaml': modules });
    const start = async (): Promise<{ readonly engine: EngineProcess; readonly admin: AdminClient }> => {
      const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
      await engine.ready();
      return { engine, admin: new AdminClient(engine) };
    };
    const alarmsOf = async (admin: AdminClient, sensor: string): Promise<Alarms | undefined> =>
      (await admin.call<{ value: Alarms }>('GET', `/state/groups/alarms/keys/${sensor}`).catch(() => undefined))?.value;
    /** How many there were when one with that text came. */
    const alarms = async (admin: AdminClient, text: string): Promise<number> => waitUntil(`alarm "${text}"`, async () => {
      const found = await alarmsOf(admin, 'kitchen');
      return found?.last === text && found.count;
    });
    const first = await start();
    await waitUntil('the subscription', async () => {
      await client.publishAsync('sensors/probe/alarm', 'probe', { qos: 1 });
      return alarmsOf(first.admin, 'probe');
    });
    await client.publishAsync('sensors/kitchen/alarm', 'smoke', { qos: 1 });
    expect(await alarms(first.admin, 'smoke')).to.equal(1);
    await first.engine.stop('SIGKILL');
    await client.publishAsync('sensors/kitchen/alarm', 'fire', { qos: 1 });
    const second = await start();
    // The first comes again when the engine was killed before the broker had its acknowledgement.
    expect(await alarms(second.admin, 'fire')).to.be.oneOf([2, 3]);
  });
});

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeApp, removeApp, runCli, startCli, type CommandOutcome } from '../cli.fixture.js';

const KV_CONFIG = `engine: { implicit_modules: false }
modules:
  - class: modules::steps::StepsModule
    config: { port: 0 }
  - class: modules::state::StateModule
    config:
      adapter: { class: modules::state::adapters::KvStore, config: { store_method: file_based } }
`;

type Libsql = new (file: string) => { exec(sql: string): void; close(): void };

describe('treadle store', function () {
  this.timeout(120_000);
  let folder: string;
  beforeEach(() => { folder = makeApp({ 'config.yaml': 'modules: []\n', 'data/.keep': '' }); });
  afterEach(() => removeApp(folder));
  const store = (...args: string[]): Promise<CommandOutcome> => runCli(['store', ...args], { cwd: folder });
  const file = (): string => join(folder, 'data/treadle.db');

  /** A database of a thousand rows, closed. */
  function makeDatabase(): void {
    const Database = createRequire(import.meta.url)('libsql') as Libsql;
    const database = new Database(file());
    database.exec('CREATE TABLE things (id INTEGER PRIMARY KEY, text TEXT)');
    database.exec("INSERT INTO things WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) SELECT i, printf('%0500d', i) FROM n");
    database.close();
  }

  it('finds a sound store sound and leaves nothing behind', async () => {
    makeDatabase();
    const before = readdirSync(join(folder, 'data'));
    const { code, stdout } = await store('check');
    expect(code, stdout).to.equal(0);
    expect(stdout).to.match(/^sound +\S+treadle\.db {2}\(database copy, \d+ bytes; log 0 bytes, 0 frames; nothing is on record of what was acknowledged\)$/m);
    expect(readdirSync(join(folder, 'data'))).to.deep.equal(before);
  });

  it('says what is damaged, with exit code 74, and saves the rest', async () => {
    makeDatabase();
    const at = Math.floor(readFileSync(file()).indexOf('0'.repeat(400)) / 4096) * 4096 + 4096 * 20;
    const descriptor = openSync(file(), 'r+');
    writeSync(descriptor, Buffer.alloc(4096, 0xff), 0, 4096, at);
    closeSync(descriptor);
    const check = await store('check', '--json');
    expect(check.code).to.equal(74);
    const report = JSON.parse(check.stdout) as { sound: boolean; stores: readonly { state: string; findings: readonly string[] }[] };
    expect(report.sound).to.equal(false);
    expect(report.stores[0]?.state).to.equal('damaged');
    const saved = await store('salvage', 'saved.db');
    expect(saved.code, saved.stderr).to.equal(0);
    expect(saved.stdout).to.match(/^ +9\d\d {2}things {2}not all: /m);
    expect(existsSync(join(folder, 'saved.db'))).to.equal(true);
    expect((await store('salvage', 'saved.db')).stderr).to.contain('cannot be written: it exists already');
  });

  it('finds a log whose database is gone', async () => {
    writeFileSync(`${file()}-wal`, 'a log');
    const { code, stdout } = await store('check', '--data-dir', 'data');
    expect(code).to.equal(74);
    expect(stdout).to.match(/^damaged +\S+treadle\.db .*\n.*treadle\.db" is missing, and ".*treadle\.db-wal" beside it holds data/m);
  });

  it('says that there is no store, exit code 64', async () => {
    const { code, stderr } = await store('check');
    expect(code).to.equal(64);
    expect(stderr).to.contain('there is no store in');
  });

  describe('of a KvStore', () => {
    let engine: ChildProcess;
    beforeEach(async () => {
      writeFileSync(join(folder, 'config.yaml'), KV_CONFIG);
      engine = startCli(['start'], { cwd: folder });
      let output = '';
      engine.stdout?.on('data', (chunk: Buffer) => { output += chunk.toString('utf8'); });
      engine.stderr?.on('data', (chunk: Buffer) => { output += chunk.toString('utf8'); });
      await until(() => output.includes('ready') || engine.exitCode !== null);
      expect(engine.exitCode, output).to.equal(null);
    });
    afterEach(killed);

    it('leaves a running one alone', async () => {
      const before = readdirSync(join(folder, 'data'));
      const { code, stdout } = await store('check');
      expect(code, stdout).to.equal(0);
      expect(stdout).to.match(/^in use +\S+kv_store\.db/m);
      const salvage = await store('salvage', 'saved.db');
      expect(salvage.code).to.not.equal(0);
      expect(salvage.stderr).to.contain(`${enginePid()}`).and.contain('kv_store.db');
      expect(readdirSync(join(folder, 'data'))).to.deep.equal(before);
    });

    it('finds the log of a killed one sound, and damaged once its end is cut', async () => {
      await killed();
      const log = join(folder, 'data/kv_store.db-wal');
      expect((await store('check')).stdout).to.match(/^sound +\S+kv_store\.db/m);
      truncateSync(log, statSync(log).size - 5000);
      const { code, stdout } = await store('check');
      expect(code).to.equal(74);
      expect(stdout).to.match(/^damaged +\S+kv_store\.db .*\n.*\d+ bytes of ".*kv_store\.db-wal" were acknowledged \(".*kv_store\.db\.pid"\), and \d+ of them are there/m);
      for (const name of ['kv_store.db', 'kv_store.db-wal']) rmSync(join(folder, 'data', name));
      expect((await store('check')).stdout).to.match(/^damaged +\S+kv_store\.db .*\n.* and 0 of them are there/m);
    });

    const enginePid = (): number => Number.parseInt(readFileSync(join(folder, 'data/kv_store.db.pid'), 'utf8'), 10);

    async function killed(): Promise<void> {
      if (engine.exitCode !== null || engine.signalCode !== null) return;
      // The command's own end would have the engine stop in peace.
      process.kill(enginePid(), 'SIGKILL');
      await once(engine, 'close');
    }
  });
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => void setTimeout(resolve, 50));
}

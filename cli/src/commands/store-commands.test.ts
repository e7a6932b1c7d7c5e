import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeApp, removeApp, runCli, type CommandOutcome } from '../cli.fixture.js';

type Libsql = new (file: string) => { exec(sql: string): void; close(): void };

describe('treadle store', function () {
  this.timeout(60_000);
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
});

import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TreadleError } from '@treadle/api';
import { expect } from 'chai';
import { DRIVERS, errorOf, freshFolder, keptUser, surroundings } from '../testing/store.fixture.js';
import { openStore } from './open-store.js';
import { openConnection, pragma } from './open-connection.js';

const put = (key: string, value = '1') => ({ operation: 'state.put', rows: [['g', key, value, 1, null]] });

for (const driver of DRIVERS) {
  for (const commits of ['thread', 'loop'] as const) {
    describe(`a store (${driver.name}, commits on the ${commits})`, () => {
      const options = (file: string) => ({ file, durability: 'full' as const, driver, commits, ...surroundings() });

      it('keeps what it acknowledged and counts its openings', async () => {
        const file = join(freshFolder(), 'deep/er/a.db');
        const first = await openStore(options(file));
        expect(first.commitsOn).to.equal(commits);
        await first.apply(put('k', '"v"'));
        await first.close();
        const second = await openStore(options(file));
        expect(second.reads.prepare('SELECT value FROM state_entries WHERE key = ?').get('k')?.['value']).to.equal('"v"');
        expect(second.identity).to.deep.equal({ id: first.identity.id, starts: first.identity.starts + 1 });
        await second.close();
      });

      it('moves its log into the file and leaves no lock behind when it is closed', async () => {
        const folder = freshFolder();
        const store = await openStore(options(join(folder, 'a.db')));
        await store.apply(put('k'));
        await Promise.all([store.close(), store.close()]);
        const left = readdirSync(folder).filter((name) => statSync(join(folder, name)).size > 0);
        expect(left.filter((name) => !name.endsWith('-shm'))).to.deep.equal(['a.db', 'a.db.mark']);
        expect(existsSync(join(folder, 'a.db.pid'))).to.equal(false);
      });

      it('keeps file, log and index from other users', async () => {
        const folder = freshFolder();
        const store = await openStore(options(join(folder, 'a.db')));
        await store.apply(put('k'));
        const modes = ['a.db', 'a.db-wal', 'a.db-shm', 'a.db.lock', 'a.db.pid'].map((name) => statSync(join(folder, name)).mode & 0o777);
        expect(modes).to.deep.equal([0o600, 0o600, 0o600, 0o600, 0o600]);
        await store.close();
      });

      it('says that every user can read a file that an earlier version made, and leaves its mode', async function () {
        if (process.platform === 'win32') return this.skip();
        const folder = freshFolder();
        const file = join(folder, 'a.db');
        writeFileSync(file, '');
        const told = async (folderMode: number, fileMode: number): Promise<unknown> => {
          chmodSync(folder, folderMode);
          chmodSync(file, fileMode);
          const given = options(file);
          await (await openStore(given)).close();
          expect(statSync(file).mode & 0o777).to.equal(fileMode);
          return given.log.lines.find(({ message }) => message === 'store can be read by every user of this machine')?.fields;
        };
        expect(await told(0o755, 0o644)).to.deep.equal({ file, remedy: `chmod 600 ${file}*` });
        expect(await told(0o750, 0o644), 'a folder for a group').to.equal(undefined);
        expect(await told(0o755, 0o640), 'a file for a group').to.equal(undefined);
      });

      it('refuses a second engine with the pid of the first, and lets it in afterwards', async () => {
        const file = join(freshFolder(), 'a.db');
        const store = await openStore(options(file));
        const error = await errorOf(() => openStore(options(file))) as TreadleError;
        expect(error).to.include({
          code: 'STORE_LOCKED', exitCode: 69, message: `database "${file}" is in use by an engine with pid ${process.pid}`,
        });
        await store.close();
        await (await openStore(options(file))).close();
      });

      it('refuses the file of a newer version and leaves it as it was', async () => {
        const file = join(freshFolder(), 'a.db');
        await (await openStore(options(file))).close();
        const db = openConnection(driver, file, 'full');
        db.exec("UPDATE treadle_areas SET version = 99 WHERE name = 'state'");
        db.close();
        rmSync(`${file}.mark`);
        const error = await errorOf(() => openStore(options(file)));
        expect(error.code).to.equal('STORE_NEWER');
        expect(error.message).to.contain('its state tables have version 99; 2 is the newest known here');
        const after = openConnection(driver, file, 'full');
        expect(after.prepare('SELECT starts FROM treadle_store').get()?.['starts']).to.equal(1);
        after.close();
      });

      it('refuses a file with tables of a block that it does not know', async () => {
        const file = join(freshFolder(), 'a.db');
        await (await openStore(options(file))).close();
        const db = openConnection(driver, file, 'full');
        db.exec("INSERT INTO treadle_areas VALUES ('graph', 1)");
        db.close();
        rmSync(`${file}.mark`);
        expect((await errorOf(() => openStore(options(file)))).message).to.contain('its graph tables have version 1; 0 is');
      });

      it('refuses what is no database, and can be opened again once that is mended', async () => {
        const file = join(freshFolder(), 'a.db');
        writeFileSync(file, 'this is no database, '.repeat(400));
        const error = await errorOf(() => openStore(options(file)));
        expect(error).to.include({ code: 'STORE_DAMAGED', exitCode: 74 });
        expect(existsSync(`${file}.pid`)).to.equal(false);
        writeFileSync(file, '');
        await (await openStore(options(file))).close();
      });

      it('copies itself to a file while it is written to', async () => {
        const folder = freshFolder();
        const store = await openStore(options(join(folder, 'a.db')));
        for (let index = 0; index < 500; index += 1) await store.apply(put(`before-${index}`));
        const during = Array.from({ length: 200 }, (_, index) => store.apply(put(`during-${index}`)));
        const target = join(folder, 'copy.db');
        await Promise.all([store.backup(target), ...during]);
        expect(readdirSync(folder)).to.not.include('copy.db.partial');
        const copy = await openStore(options(target));
        const counted = copy.reads.prepare("SELECT count(*) AS n FROM state_entries WHERE key LIKE 'before-%'").get();
        expect(counted?.['n']).to.equal(500);
        expect(pragma(copy.reads, 'integrity_check')).to.equal('ok');
        expect((await errorOf(() => store.backup(target))).message).to.match(/cannot be written: it exists already$/);
        await Promise.all([copy.close(), store.close()]);
      });

      it('fails an unknown operation alone; the others of the group are stored', async () => {
        const store = await openStore(options(join(freshFolder(), 'a.db')));
        const [first, second] = await Promise.allSettled([store.apply({ operation: 'state.none', rows: [] }), store.apply(put('k'))]);
        expect([first.status, second.status]).to.deep.equal(['rejected', 'fulfilled']);
        await store.close();
      });

      it('fails a write in the same group that builds on one that failed', async () => {
        const store = await openStore(options(join(freshFolder(), 'a.db')));
        const outcomes: boolean[] = [];
        const base = store.write({ operation: 'state.none', rows: [] }, (outcome) => void outcomes.push(outcome.ok));
        store.write(put('k'), (outcome) => void outcomes.push(outcome.ok), base);
        await store.apply(put('other'));
        expect(outcomes).to.deep.equal([false, false]);
        expect(store.reads.prepare('SELECT key FROM state_entries').all().map((row) => row['key'])).to.deep.equal(['other']);
        await store.close();
      });

      it('stores what was written before it was closed and refuses what comes after', async () => {
        const file = join(freshFolder(), 'a.db');
        const store = await openStore(options(file));
        const written = store.apply(put('k'));
        const closed = store.close();
        await Promise.all([written, closed]);
        expect((await errorOf(() => store.apply(put('late')))).code).to.equal('StorageRefused');
      });
    });
  }
}

describe('opening a store', () => {
  it('asserts the settings that the durability rests on', async () => {
    const store = await openStore({ file: join(freshFolder(), 'a.db'), durability: 'relaxed', ...surroundings() });
    expect(pragma(store.reads, 'synchronous')).to.equal(1);
    expect(pragma(store.reads, 'journal_mode')).to.equal('wal');
    expect(pragma(store.reads, 'auto_vacuum')).to.equal(2);
    expect(store.commitsOn).to.equal('loop');
    await store.close();
  });

  it('refuses a database that does not keep "synchronous"', () => {
    const [driver] = DRIVERS;
    if (!driver) throw new Error('no driver');
    const lying = { ...driver, open: (file: string) => withoutSynchronous(driver.open(file)) };
    expect(() => openConnection(lying, join(freshFolder(), 'a.db'), 'full')).to.throw('"synchronous" is 0, not 2');
  });

  it('says which driver it uses, where it commits and what a power cut may take', async () => {
    const { clock, turn, log } = surroundings();
    const file = join(freshFolder(), 'a.db');
    await (await openStore({ file, durability: 'full', clock, turn, log })).close();
    const [line] = log.lines;
    expect(line?.message).to.equal('store is open');
    expect(line?.fields).to.include({ file, driver: DRIVERS[0]?.name, durability: 'full', starts: 1 });
    expect(line?.fields?.['commits']).to.equal(Number(line?.fields?.['fsyncMs']) < 1 ? 'loop' : 'thread');
    await (await openStore({ file, durability: 'relaxed', clock, turn, log })).close();
    expect(log.lines.at(-1)).to.include({ level: 'warn', message: 'store is relaxed: a power cut may take the last writes back' });
    await (await openStore({ file: ':memory:', durability: 'full', clock, turn, log })).close();
    expect(log.lines.at(-1)?.message).to.equal('store is in memory: its data ends with the engine');
  });

  it('refuses another durability for a file that is in use, naming both places', async () => {
    const store = await openStore({ file: join(freshFolder(), 'a.db'), durability: 'full', ...surroundings() });
    store.join(keptUser('modules[0].config.adapter', 4), 'full');
    const second = keptUser('modules[1].config.adapter', 12);
    const error = await errorOf(() => store.join(second, 'relaxed'));
    expect(error.code).to.equal('CONFIG_CONFLICT');
    expect(error.message).to.equal(`modules[1].config.adapter: durability "relaxed" for "${store.file}", `
      + 'which modules[0].config.adapter (config.yaml:4) has with "full"');
    await store.close();
  });

  it('leaves the pid of its engine beside the file', async () => {
    const file = join(freshFolder(), 'a.db');
    const store = await openStore({ file, durability: 'full', ...surroundings() });
    expect(readFileSync(`${file}.pid`, 'utf8')).to.equal(`${process.pid}\n`);
    await store.close();
  });
});

function withoutSynchronous<C extends { exec(sql: string): void }>(connection: C): C {
  const exec = connection.exec.bind(connection);
  return Object.assign(connection, { exec: (sql: string) => exec(sql.includes('synchronous') ? 'PRAGMA synchronous = OFF' : sql) });
}

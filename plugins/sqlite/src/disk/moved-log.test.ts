import { closeSync, copyFileSync, existsSync, openSync, readFileSync, readSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkStore } from '../salvage/check-store.js';
import { salvageStore } from '../salvage/salvage-store.js';
import { openStore } from '../store/open-store.js';
import type { SqliteStore } from '../store/sqlite-store.js';
import { DRIVERS, errorOf, freshFolder, surroundings } from '../testing/store.fixture.js';
import { StoreMark } from './store-mark.js';

const NAMES = ['a.db', 'a.db-wal', 'a.db-shm', 'a.db.mark', 'a.db.lock'];
const FRAME_BYTES = 4120;
const OTHERS = 40;
const CHANGES = 61;
const WEEK_MS = 7 * 86_400_000;
const put = (key: string, value: unknown, revision: number) => ({ operation: 'state.put', rows: [['g', key, JSON.stringify(value), revision, revision === 1 ? null : revision - 1]] });
const revisionOf = (store: SqliteStore, key: string) => store.reads.prepare('SELECT revision FROM state_entries WHERE key = ?').get(key)?.['revision'];

type Harm = (log: string, moved: number) => void;
const damageOf = (frame: (moved: number) => number): Harm => (log, moved) => flip(log, 32 + (frame(moved) - 1) * FRAME_BYTES + 2000);
const cutBehind = (frame: (moved: number) => number, bytes = 0): Harm => (log, moved) => truncateSync(log, 32 + frame(moved) * FRAME_BYTES + bytes);
const WAYS: Readonly<Record<string, Harm>> = {
  'its first frame is damaged': damageOf(() => 1),
  'a frame in its middle is damaged': damageOf((moved) => moved >> 1),
  'its last moved frame is damaged': damageOf((moved) => moved),
  'the header of a frame is damaged': (log, moved) => flip(log, 32 + (moved >> 1) * FRAME_BYTES + 10),
  'it is cut behind its header': cutBehind(() => 0),
  'it is cut within its first frame': cutBehind(() => 0, 500),
  'it is cut in its middle': cutBehind((moved) => moved >> 1),
  'it is cut within a frame': cutBehind((moved) => moved >> 1, 3000),
  'it lost its last moved frame': cutBehind((moved) => moved - 1),
};

for (const driver of DRIVERS) {
  describe(`a log that is in the database already (${driver.name})`, () => {
    const options = (file: string) => ({ file, durability: 'full' as const, driver, commits: 'loop' as const, ...surroundings() });

    /** The files of an engine that was killed when its log was moved, or, with `more`, when it had written on in the same log. */
    async function died(more = 0): Promise<string> {
      const [folder, after] = [freshFolder(), freshFolder()];
      const given = options(join(folder, 'a.db'));
      const first = await openStore(given);
      for (let index = 0; index < OTHERS; index += 1) await first.apply(put(`k${index}`, 'old'.repeat(300), 1));
      await first.close();
      const store = await openStore(given);
      for (let revision = 1; revision <= CHANGES; revision += 1) await store.apply(put('account', { balance: 100 - revision }, revision));
      // Somebody who reads keeps SQLite from writing the log from its beginning again.
      const reader = driver.open(given.file);
      reader.exec('BEGIN');
      reader.prepare('SELECT count(*) FROM state_entries').all();
      await given.clock.advance(10_000);
      for (let revision = 1; revision <= more; revision += 1) await store.apply(put('late', 'x'.repeat(3000), revision));
      for (const name of NAMES) copyFileSync(join(folder, name), join(after, name));
      reader.exec('ROLLBACK');
      reader.close();
      await store.close();
      return join(after, 'a.db');
    }

    async function revisions(file: string, keys: readonly string[]): Promise<readonly unknown[]> {
      const store = await openStore(options(file));
      const found = keys.map((key) => revisionOf(store, key));
      await store.close();
      return found;
    }

    for (const [way, harm] of Object.entries(WAYS)) {
      it(`costs nothing when ${way}`, async () => {
        const file = await died();
        const { frames, moved } = positionOf(file);
        expect(moved).to.equal(frames).and.to.be.greaterThan(CHANGES);
        harm(`${file}-wal`, moved);
        const bytes = readFileSync(`${file}-wal`);
        const check = checkStore(file, driver);
        expect([check.state, check.findings]).to.deep.equal(['sound', []]);
        expect(check.warnings.join()).to.match(/a\.db-wal" is sound up to frame \d+ of \d+; all of them are in the database, so the next start sets it aside/);
        const target = join(freshFolder(), 'saved.db');
        expect(salvageStore(file, target, driver).tables.filter(({ lost }) => lost !== undefined)).to.deep.equal([]);
        expect(await revisions(target, ['account', 'k0', 'k39'])).to.deep.equal([CHANGES, 1, 1]);
        const given = options(file);
        const store = await openStore(given);
        expect(['account', 'k0', 'k39'].map((key) => revisionOf(store, key))).to.deep.equal([CHANGES, 1, 1]);
        await store.close();
        expect(given.log.lines.filter(({ level }) => level === 'warn').map(({ message, fields }) => [message, fields?.['kept']]))
          .to.deep.equal([['log of the store is not what was written and is set aside for a week: all of it is in the database', `${file}-wal.obsolete`]]);
        expect(readFileSync(`${file}-wal.obsolete`).equals(bytes)).to.equal(true);
        await given.clock.advance(WEEK_MS);
        await (await openStore(given)).close();
        expect(existsSync(`${file}-wal.obsolete`)).to.equal(false);
      });

      it(`is refused, and saved from, when ${way} and more was written behind it`, async () => {
        const file = await died(5);
        const { frames, moved } = positionOf(file);
        expect(frames).to.be.greaterThan(moved);
        const isCut = way.includes('cut') || way.includes('lost');
        harm(`${file}-wal`, moved);
        const check = checkStore(file, driver);
        expect(check.state).to.equal('damaged');
        expect(check.findings).to.have.length(1).and.to.match(/-wal" is sound up to frame \d+, and \d+ frames of it were acknowledged/);
        const target = join(freshFolder(), 'saved.db');
        const { skippedFrames } = salvageStore(file, target, driver);
        expect(skippedFrames).to.equal(0);
        const error = await errorOf(() => openStore(options(file)));
        expect(error).to.include({ code: 'STORE_DAMAGED', exitCode: 74 });
        expect(await revisions(target, ['account', 'k0', 'late'])).to.deep.equal([CHANGES, 1, isCut ? undefined : 5]);
      });
    }

    it('is played when it is whole, and heals a page of the database that it has', async () => {
      const file = await died();
      const found = readFileSync(file).lastIndexOf('"balance"');
      flip(file, found);
      expect(checkStore(file, driver).state).to.equal('sound');
      const target = join(freshFolder(), 'saved.db');
      salvageStore(file, target, driver);
      expect(readFileSync(target).includes(`{"balance":${100 - CHANGES}}`)).to.equal(true);
      expect(await revisions(file, ['account'])).to.deep.equal([CHANGES]);
      expect(existsSync(`${file}-wal.obsolete`)).to.equal(false);
    });

    it('is refused together with a database that is damaged, too', async () => {
      const file = await died();
      flip(file, readFileSync(file).lastIndexOf('"balance"'));
      damageOf((moved) => moved)(`${file}-wal`, positionOf(file).moved);
      expect(checkStore(file, driver).findings.join()).to.match(/1 of \d+ pages of ".*a\.db" are not what was written/);
      expect((await errorOf(() => openStore(options(file)))).code).to.equal('STORE_DAMAGED');
      expect(existsSync(`${file}-wal`)).to.equal(true);
    });

    it('does not keep a salvage from the frames behind one whose header is destroyed', async () => {
      const file = await died(20);
      const { moved } = positionOf(file);
      // The mark follows some milliseconds later.
      const frames = checkStore(file, driver).files?.logFrames ?? 0;
      const descriptor = openSync(`${file}-wal`, 'r+');
      writeSync(descriptor, Buffer.alloc(4096), 0, 4096, 32 + ((frames + moved) >> 1) * FRAME_BYTES);
      closeSync(descriptor);
      const target = join(freshFolder(), 'saved.db');
      // The next one cannot be judged without it.
      expect(salvageStore(file, target, driver).skippedFrames).to.equal(2);
      expect(await revisions(target, ['account', 'late'])).to.deep.equal([CHANGES, 20]);
    });
  });
}

function positionOf(file: string): { readonly frames: number; readonly moved: number } {
  const mark = StoreMark.read(file);
  mark?.close();
  const { frames, moved } = mark?.position ?? { frames: 0, moved: 0 };
  return { frames, moved };
}

function flip(file: string, at: number): void {
  const descriptor = openSync(file, 'r+');
  const byte = Buffer.alloc(1);
  readSync(descriptor, byte, 0, 1, at);
  writeSync(descriptor, Buffer.of((byte[0] ?? 0) ^ 0xff), 0, 1, at);
  closeSync(descriptor);
}

import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openStore } from '../store/open-store.js';
import { smallFileSystem } from '../testing/small-file-system.fixture.js';
import { DRIVERS, errorOf, freshFolder, surroundings } from '../testing/store.fixture.js';
import { checkStore } from './check-store.js';
import { salvageStore } from './salvage-store.js';

const ROWS = 10;
/** Bytes of a value: 3 MB all of them, and large enough to leave room for indexes when one does not fit. */
const VALUE = 300_000;

describe('looking at and saving a store with too little room', () => {
  const [small, tiny] = [smallFileSystem('8m'), smallFileSystem('1m')];

  for (const driver of DRIVERS) {
    const sound = async (): Promise<string> => {
      const file = join(freshFolder(), 'a.db');
      const store = await openStore({ file, durability: 'full', driver, ...surroundings() });
      for (let index = 0; index < ROWS; index += 1) await store.apply({ operation: 'state.put', rows: [['g', `k${index}`, JSON.stringify('v'.repeat(VALUE)), 1, null]] });
      await store.close();
      return file;
    };

    for (const [ballast, place] of [[6_500_000, 'the copy of the database'], [4_000_000, 'the rows']] as const) {
      it(`says that there is none for ${place}, and leaves no half of a store (${driver.name})`, async () => {
        const file = await sound();
        writeFileSync(join(small, 'ballast'), Buffer.alloc(ballast));
        const target = join(small, 'saved.db');
        const error = await errorOf(() => salvageStore(file, target, driver));
        expect(error).to.include({ code: 'FILE_NOT_WRITABLE', exitCode: 74 });
        expect(error.message).to.match(/saved\.db" cannot be written: .*(ENOSPC|SQLITE_FULL|database or disk is full)/);
        expect(readdirSync(small)).to.deep.equal(['ballast']);
        rmSync(join(small, 'ballast'));
        // Elsewhere: libsql holds closed files, and their room, until its statements have been collected.
        expect(salvageStore(file, join(freshFolder(), 'saved.db'), driver).tables.find(({ table }) => table === 'state_entries')).to.deep.equal({ table: 'state_entries', rows: ROWS });
      });
    }

    it(`calls no store damaged for a folder of temporary files that is full, or is not there (${driver.name})`, async () => {
      const file = await sound();
      const former = process.env['TMPDIR'];
      try {
        process.env['TMPDIR'] = tiny;
        const full = await errorOf(() => checkStore(file, driver));
        expect(full).to.include({ code: 'FILE_NOT_WRITABLE', exitCode: 74 });
        expect(full.message).to.match(/treadle-check-\w+\/image\.db" cannot be written: ENOSPC/);
        expect(readdirSync(tiny)).to.deep.equal([]);
        process.env['TMPDIR'] = join(tiny, 'none');
        expect((await errorOf(() => checkStore(file, driver))).message).to.match(/none\/treadle-check-" cannot be written: ENOENT/);
      } finally {
        if (former === undefined) delete process.env['TMPDIR'];
        else process.env['TMPDIR'] = former;
      }
      expect(checkStore(file, driver).state).to.equal('sound');
    });
  }
});

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OperationError } from '@treadle/api';
import { expect } from 'chai';
import { removeStore, smallFileSystem } from '../testing/small-file-system.fixture.js';
import { DRIVERS, keptUser, surroundings } from '../testing/store.fixture.js';
import { openStore } from './open-store.js';
import { pragma } from './open-connection.js';

const VALUE = JSON.stringify('v'.repeat(20_000));
const put = (key: string) => ({ operation: 'state.put', rows: [['g', key, VALUE, 1, null]] });

describe('a store on a small file system', function suite() {
  this.timeout(180_000);
  const folder = smallFileSystem('8m');

  for (const driver of DRIVERS) {
    for (const commits of ['thread', 'loop'] as const) {
      it(`keeps what it acknowledged, goes on reading, and recovers once there is room (${driver.name}, ${commits})`, async () => {
        const file = join(folder, `${driver.name.replace(':', '-')}-${commits}.db`);
        const around = { driver, commits, durability: 'full' as const };
        const store = await openStore({ file, ...around, ...surroundings() });
        const user = keptUser();
        store.join(user, 'full');
        const ballast = join(folder, 'ballast');
        writeFileSync(ballast, Buffer.alloc(4_000_000));
        const acknowledged: string[] = [];
        let refused: OperationError | undefined;
        for (let index = 0; index < 2_000 && !refused; index += 1) {
          await store.apply(put(`k${index}`)).then(() => acknowledged.push(`k${index}`), (error: OperationError) => void (refused = error));
        }
        expect(refused?.code, refused?.message).to.equal('StorageFull');
        expect(acknowledged.length).to.be.greaterThan(20);
        expect(count(store)).to.equal(acknowledged.length);
        expect(user.told).to.deep.equal([`degraded: no room to write to "${file}"`]);
        rmSync(ballast);
        await store.apply(put('later'));
        expect(user.told.at(-1)).to.equal('ok');
        expect(user.fatals).to.deep.equal([]);
        await store.close();
        const again = await openStore({ file, ...around, ...surroundings() });
        expect(count(again)).to.equal(acknowledged.length + 1);
        expect(pragma(again.reads, 'integrity_check')).to.equal('ok');
        await again.close();
        removeStore(file);
      });
    }
  }
});

function count(store: { reads: { prepare(sql: string): { get(): Readonly<Record<string, unknown>> | undefined } } }): unknown {
  return store.reads.prepare('SELECT count(*) AS n FROM state_entries').get()?.['n'];
}

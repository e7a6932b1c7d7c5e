import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { CronTable } from '../cron/cron-table.js';
import { QueueTable } from '../queue/queue-table.js';
import { openStore } from '../store/open-store.js';
import { beginLife } from '../transfer/copied-store.js';
import { removeStore, smallFileSystem } from '../testing/small-file-system.fixture.js';
import { failingDriver } from '../testing/failing-driver.fixture.js';
import { DRIVERS, errorOf, freshFolder, surroundings } from '../testing/store.fixture.js';
import { StreamTable } from './stream-table.js';

const put = (key: string) => ({ operation: 'state.put', rows: [['g', key, JSON.stringify('v'.repeat(20_000)), 1, null]] });

describe('an engine that starts on a full disk', function suite() {
  this.timeout(60_000);
  const folder = smallFileSystem('12m');

  for (const driver of DRIVERS) {
    for (const durability of ['relaxed', 'full'] as const) {
      it(`opens its streams and sees its schedules (${driver.name}, ${durability})`, async () => {
        const file = join(folder, `${driver.name.replace(':', '-')}-${durability}.db`);
        const before = await openStore({ file, driver, durability, commits: 'loop', ...surroundings() });
        for (let index = 0; index < 20; index += 1) await before.apply(put(`k${index}`));
        await before.apply({ operation: 'copy.write', rows: [['mark', 'state', 'from', 'm', 1]] });
        await before.close();
        const { bavail, bsize } = statfsSync(folder);
        writeFileSync(join(folder, 'ballast'), Buffer.alloc(bavail * bsize - 400_000));
        const around = surroundings();
        const store = await beginLife(await openStore({ file, driver, durability, commits: 'loop', ...around }));
        expect((await errorOf(() => store.apply(put('more')))).code).to.equal('StorageFull');
        await StreamTable.of(store, { ...around, keepsEpoch: durability === 'full' });
        expect(await CronTable.of(store, around.clock).schedules([{ step: 'S', trigger: '0' }], 1)).to.have.length(1);
        await store.close();
        removeStore(file);
        for (const left of [`${file}.mark`, join(folder, 'ballast')]) rmSync(left);
      });
    }
  }
});

describe('streams that could not be opened', () => {
  it('are opened by the next who asks, and keep no delivery from being ended', async () => {
    const failing = failingDriver(DRIVERS[0]);
    const around = surroundings();
    const store = await openStore({ file: join(freshFolder(), 'a.db'), driver: failing.driver, durability: 'full', commits: 'loop', ...around });
    const { table: queue, leave } = QueueTable.of({ store, ...around, memoryBytes: 1_000_000 });
    await queue.changeSubscriptions([{ action: 'put', subscription: { step: 'a', topic: 't', application: '', fifo: false, delayMs: 0, settings: '' } }]);
    await queue.enqueueMany([[{ id: 'm', topic: 't', kind: 'queue', data: '1', traceparent: 'tp', hops: 0, enqueuedAt: 1 }]], { maxWaiting: 10 });
    const options = { ...around, keepsEpoch: true };
    failing.fail('COMMIT', 'SQLITE_FULL');
    expect((await errorOf(() => StreamTable.of(store, options))).message).to.contain('nothing was stored');
    failing.fail();
    const [claim] = queue.claimMany([{ step: 'a', topic: 't', max: 1 }]);
    if (!claim) throw new Error('nothing was claimed');
    expect(await queue.commitMany([{ settle: { action: 'done', claim }, enqueue: [], writes: [] }], { maxWaiting: 10 })).to.deep.equal([{ ok: true, ids: [] }]);
    await StreamTable.of(store, options);
    leave();
    await store.close();
  });
});

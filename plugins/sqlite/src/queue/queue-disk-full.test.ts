import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NewMessage, OperationError } from '@treadle/api';
import { expect } from 'chai';
import { openStore } from '../store/open-store.js';
import { removeStore, smallFileSystem } from '../testing/small-file-system.fixture.js';
import { DRIVERS, surroundings } from '../testing/store.fixture.js';
import { QueueTable } from './queue-table.js';

const LIMITS = { maxWaiting: 1_000_000 };
const message = (index: number): NewMessage => ({
  id: `m${String(index).padStart(6, '0')}`, topic: 't', kind: 'queue', data: JSON.stringify('v'.repeat(5_000)), traceparent: 'tp', hops: 0, enqueuedAt: index,
});

describe('a queue on a full disk', function suite() {
  this.timeout(180_000);
  const folder = smallFileSystem('16m');

  const contestants = DRIVERS.flatMap((driver) => (['loop', 'thread'] as const).map((commits) => ({ driver, commits })));
  for (const { driver, commits } of contestants) {
    it(`refuses messages, can be resumed, goes on delivering and settling, and takes messages again afterwards (${driver.name}, ${commits})`, async () => {
      const file = join(folder, `${driver.name.replace(':', '-')}-${commits}.db`);
      const around = surroundings();
      const store = await openStore({ file, driver, commits, durability: 'full', ...around });
      const { table, leave } = QueueTable.of({ store, ...around, memoryBytes: 1_000_000 });
      const subscribe = (paused: boolean) => table.changeSubscriptions([
        { action: 'put', subscription: { step: 'a', topic: 't', application: 'x', fifo: false, delayMs: 0, settings: '' } },
        { action: 'pause', key: { step: 'a', topic: 't' }, paused },
      ]);
      await subscribe(true);
      const ballast = join(folder, 'ballast');
      writeFileSync(ballast, Buffer.alloc(7_000_000));
      const acknowledged: string[] = [];
      let refused: OperationError | undefined;
      for (let index = 1; index < 5_000 && !refused; index += 1) {
        await table.enqueueMany([[message(index)]], LIMITS).then(() => acknowledged.push(message(index).id), (error: OperationError) => void (refused = error));
      }
      expect(refused?.code).to.equal('StorageFull');
      // By hand: nothing is consumed, and so no space freed, until the subscription is resumed.
      await subscribe(false);
      const delivered: string[] = [];
      for (let claims = table.claimMany([{ step: 'a', topic: 't', max: 10 }]); claims.length > 0; claims = table.claimMany([{ step: 'a', topic: 't', max: 10 }])) {
        expect(await table.settleMany(claims.map((claim) => ({ action: 'done', claim })))).to.deep.equal(claims.map(() => true));
        delivered.push(...claims.map(({ messageId }) => messageId));
        if (delivered.length === 10) await table.enqueueMany([[message(9_000)]], LIMITS).then(() => acknowledged.push(message(9_000).id), () => undefined);
      }
      expect(delivered).to.deep.equal(acknowledged);
      // The disk is as full as before, but for the pages of what was consumed.
      expect((await table.enqueueMany([[message(9_998)]], LIMITS))[0]).to.have.property('ok', true);
      rmSync(ballast);
      expect((await table.enqueueMany([[message(9_999)]], LIMITS))[0]).to.have.property('ok', true);
      expect(table.statistics()[0]).to.include({ waiting: 2, active: 0 });
      leave();
      await store.close();
      removeStore(file);
    });
  }
});

import { join } from 'node:path';
import { expect } from 'chai';
import { openStore } from '../store/open-store.js';
import { migrate } from '../store/schema.js';
import { DRIVERS, freshFolder, surroundings } from '../testing/store.fixture.js';
import { cronArea } from './cron-area.js';
import { claimRow } from './cron-reader.js';

describe('the cron tables of a former version', () => {
  for (const driver of DRIVERS) {
    it(`give no tick again whose record was removed (${driver.name})`, async () => {
      const file = join(freshFolder(), 'a.db');
      const connection = driver.open(file);
      migrate(connection, file, [{ ...cronArea, migrations: cronArea.migrations.slice(0, 1) }]);
      connection.exec("INSERT INTO cron_schedules (step, trig, since, last_tick, forgotten) VALUES ('report', 't', 1, 5000, 3000)");
      connection.close();
      const store = await openStore({ file, driver, durability: 'full', ...surroundings() });
      const claim = (scheduledAt: number) => claimRow({
        step: 'report', trigger: 't', scheduledAt, id: `run-${scheduledAt}`, firedAt: 9000, attempt: 1, manual: false, missed: false, status: 'skipped', traceId: '',
      }, { unlessRunning: false });
      expect(await store.apply({ operation: 'cron.claim', rows: [1000, 3000, 4000].map(claim) })).to.deep.equal(['taken', 'taken', 'claimed']);
      await store.close();
    });
  }
});

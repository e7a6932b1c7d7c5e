import { join } from 'node:path';
import { expect } from 'chai';
import { openStore } from '../store/open-store.js';
import { migrate } from '../store/schema.js';
import { DRIVERS, freshFolder, surroundings } from '../testing/store.fixture.js';
import { stateArea } from './state-operations.js';
import { StateReader } from './state-reader.js';

describe('the state tables of a former version', () => {
  for (const driver of DRIVERS) {
    it(`keep their changes, which have no origin (${driver.name})`, async () => {
      const file = join(freshFolder(), 'a.db');
      const connection = driver.open(file);
      migrate(connection, file, [{ ...stateArea, migrations: stateArea.migrations.slice(0, 1) }]);
      connection.exec("INSERT INTO state_changes (id, grp, key, old_value, new_value, revision) VALUES ('one', 'g', 'k', NULL, '1', 1)");
      connection.close();
      const store = await openStore({ file, driver, durability: 'full', ...surroundings() });
      expect(new StateReader(store.reads).pendingChanges(5)).to.deep.equal([
        { id: 'one', group: 'g', key: 'k', oldValue: undefined, newValue: 1, oldText: undefined, newText: '1', bytes: 1, revision: 1 },
      ]);
      await store.close();
    });
  }
});

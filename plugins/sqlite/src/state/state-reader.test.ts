import { expect } from 'chai';
import { openStore } from '../store/open-store.js';
import { DRIVERS, errorOf, surroundings } from '../testing/store.fixture.js';
import { StateReader } from './state-reader.js';

describe('StateReader', () => {
  it('refuses a cursor that it did not give', async () => {
    const [driver] = DRIVERS;
    if (!driver) throw new Error('no driver');
    const store = await openStore({ file: ':memory:', driver, commits: 'loop', durability: 'full', ...surroundings() });
    const reader = new StateReader(store.reads);
    for (const list of [() => reader.list('g', { limit: 1, cursor: 'zzz' }, 0), () => reader.listGroups({ limit: 1, cursor: 'not one' }, 0)]) {
      expect(await errorOf(list)).to.include({ code: 'StateInvalidArgument', message: 'cursor must be one that a former page gave' });
    }
    await store.close();
  });
});

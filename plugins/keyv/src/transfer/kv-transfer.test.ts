import type { TransferRow } from '@treadle/api';
import { expect } from 'chai';
import { MemoryDriver } from '../driver/memory-driver.js';
import { KvTransfer } from './kv-transfer.js';
import { stateKinds } from './state-kinds.js';

const mark = { text: 'half', complete: false };

describe('KvTransfer', () => {
  it('keeps the highest floor of revisions, wherever it comes in a portion', async () => {
    const driver = new MemoryDriver();
    const transfer = new KvTransfer(driver, 'kv.db', stateKinds);
    const floorAfter = async (...rows: readonly TransferRow[]): Promise<unknown> => {
      await transfer.importRows({ kind: 'floor', rows, mark });
      return driver.get('sf');
    };
    expect(await floorAfter({ group: 'a', revision: 1_000 }, { group: 'b', revision: 5 })).to.equal(1_000);
    expect(await floorAfter({ group: 'c', revision: 7 })).to.equal(1_000);
    expect(await floorAfter({ group: 'd', revision: 2 }, { group: 'e', revision: 2_000 }, { group: 'f', revision: 3 })).to.equal(2_000);
  });
});

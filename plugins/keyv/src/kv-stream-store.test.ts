import type { Logger, OperationError } from '@treadle/api';
import { expect } from 'chai';
import { fakeClock } from '@treadle/testing';
import { MemoryDriver } from './driver/memory-driver.js';
import { KvStreamStore } from './kv-stream-store.js';
import { groupKey } from './stream-rows.js';

const nothing = (): void => undefined;
const LOG: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => LOG };

describe('KvStreamStore', () => {
  it('keeps nothing of groups that were only looked at: clients may join any', async () => {
    const driver = new MemoryDriver();
    const store = await KvStreamStore.open(driver, { clock: fakeClock(), log: LOG });
    await store.write({ stream: 'board', groupId: 'written', id: 'a', next: () => ({ action: 'set', value: 1 }) });
    await store.write({ stream: 'board', groupId: 'kept', id: 'a', next: () => ({ action: 'keep' }) });
    await store.snapshot({ stream: 'board', groupId: 'joined' });
    expect((await store.snapshot({ stream: 'board', groupId: 'written' })).position.seq).to.equal(1);
    await store.close();
    const known = await driver.range({ from: 'tg', to: 'tg~', limit: 10 });
    expect(known).to.deep.equal([[groupKey({ stream: 'board', groupId: 'written' }), { q: 1, f: 0 }]]);
  });

  it('refuses a cursor that no page gave in its own name', async () => {
    const store = await KvStreamStore.open(new MemoryDriver(), { clock: fakeClock(), log: LOG });
    const refusal = await store.listGroups('board', { limit: 10, cursor: 'not hex' }).catch((error: OperationError) => `${error.code}: ${error.message}`);
    expect(refusal).to.equal('StreamInvalidArgument: cursor must be one that a former page gave');
    await store.close();
  });
});

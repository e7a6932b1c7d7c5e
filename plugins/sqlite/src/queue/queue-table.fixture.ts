import { join } from 'node:path';
import type { NewMessage, SubscriptionChange } from '@treadle/api';
import type { Driver } from '../driver/driver.js';
import { openStore } from '../store/open-store.js';
import { DRIVERS, freshFolder, surroundings } from '../testing/store.fixture.js';
import type { Lane } from './lane.js';
import { QueueTable } from './queue-table.js';

export const LIMITS = { maxWaiting: 10_000_000 };
const KEY = { step: 'a', topic: 't' };

export const message = (id: string, groupId?: string): NewMessage => ({
  id, topic: 't', kind: 'queue', data: '1', traceparent: 'tp', hops: 0, enqueuedAt: 1, ...(groupId !== undefined && { groupId }),
});
export const put = (fifo: boolean): SubscriptionChange => (
  { action: 'put', subscription: { ...KEY, application: 'x', fifo, delayMs: 0, settings: '' } });
export const request = (max = 10) => [{ ...KEY, max }];

/** What a table is opened with, beside a file of its own. */
export interface TableOptions {
  readonly driver?: Driver;
  readonly commits?: 'loop' | 'thread';
  readonly file?: string;
  readonly memoryBytes?: number;
}

/** Opens tables, which are closed after each test. The clock's `shift` sets it ahead or back. */
export function queueTables() {
  const opened: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of opened.splice(0)) await close();
  });
  return async ({ driver = DRIVERS[0] as Driver, commits = 'loop', file = join(freshFolder(), 'q.db'), memoryBytes = 1_000_000 }: TableOptions = {}) => {
    const { clock: base, turn, log } = surroundings();
    const clock = Object.assign(Object.create(base) as typeof base, { shift: 0, now: () => base.now() + clock.shift });
    const around = { clock, turn, log };
    const store = await openStore({ file, driver, commits, durability: 'full', ...around });
    const { table: queue, leave } = QueueTable.of({ store, ...around, memoryBytes });
    let left = false;
    const leaveOnce = (): void => {
      if (!left) leave();
      left = true;
    };
    const close = async (): Promise<void> => {
      leaveOnce();
      await store.close();
    };
    opened.push(close);
    const lane = (): Lane => queue['work'].lanes.get(KEY) as Lane;
    return { queue, store, file, leave: leaveOnce, close, lane, ...around };
  };
}

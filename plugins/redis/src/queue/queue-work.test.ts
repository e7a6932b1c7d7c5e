import { StoreClock } from '@treadle/api';
import { errorOf, fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import type { RedisStore } from '../store/redis-store.js';
import { QueueWork } from './queue-work.js';

describe('work by the subscriptions of the store', () => {
  it('is given up when the subscriptions change each time before it is done', async () => {
    const clock = fakeClock();
    const run = async (): Promise<unknown> => {
      await new Promise(setImmediate);
      return ['1', [], []];
    };
    const work = new QueueWork({ database: 'Redis', time: new StoreClock(clock), run } as unknown as RedisStore, clock);
    expect(await errorOf(work.current(() => Promise.resolve(null)))).to.have.property('code', 'StorageFailed');
    work.close();
  });
});

import type { BeatListener } from '@treadle/api';
import { expect } from 'chai';
import type { RedisStore } from '../store/redis-store.js';
import { CronTable } from './cron-table.js';

describe('cron pauses of another engine on Redis', () => {
  it('are looked for every thirty beats, also where no word of them came, and at once after a time without the server', async () => {
    let beat: BeatListener['beat'];
    const listen = (listener: BeatListener): (() => void) => {
      beat = (anew) => listener.beat?.(anew) ?? Promise.resolve();
      return () => undefined;
    };
    let told = 0;
    const store = { listen, on: () => () => undefined, register: () => Promise.resolve() };
    (await CronTable.open(store as unknown as RedisStore)).onSchedules(() => { told += 1; });
    for (let beats = 0; beats < 60; beats += 1) await beat?.(false);
    expect(told).to.equal(2);
    await beat?.(true);
    expect(told).to.equal(3);
  });
});

import { expect } from 'chai';
import type { PgStore, StoreListener } from '../store/pg-store.js';
import { CronTable } from './cron-table.js';

describe('cron pauses of another engine on PostgreSQL', () => {
  it('are looked for every thirty beats, also where no word of them came, and at once after a time without the server', async () => {
    let beat: StoreListener['beat'];
    const listen = (listener: StoreListener): (() => void) => {
      beat = (anew) => listener.beat?.(anew) ?? Promise.resolve();
      return () => undefined;
    };
    let told = 0;
    new CronTable({ listen } as unknown as PgStore).onSchedules(() => { told += 1; });
    for (let beats = 0; beats < 60; beats += 1) await beat?.(false);
    expect(told).to.equal(2);
    await beat?.(true);
    expect(told).to.equal(3);
  });
});

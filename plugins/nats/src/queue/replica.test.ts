import type { Logger } from '@treadle/api';
import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { NatsStore } from '../store/nats-store.js';
import type { NatsConfig } from '../store/store.config.js';
import { freshConfig, withServer } from '../testing/kit.fixture.js';
import { QueueLog } from './queue-log.js';
import { Replica } from './replica.js';
import { SharedQueue } from './shared-queue.js';
import { Snapshots } from './snapshots.js';

const logger = { info: () => undefined, error: () => undefined, warn: () => undefined } as unknown as Logger;
const clock = fakeClock(Date.now());
const storeOf = (config: NatsConfig, engine: string): Promise<NatsStore> => NatsStore.open({ config, clock, log: logger, engine });

withServer.describe('a replica of the queue\'s log', () => {
  withServer.it('has read all entries that were there when it is open, however many they are', async () => {
    const { config, cleanup } = await freshConfig();
    const store = await storeOf(config, 'writer');
    const queue = await SharedQueue.open(store, { clock, log: logger });
    try {
      for (let entry = 0; entry < 3_000; entry += 1) await queue.fresh();
      const other = await storeOf(config, 'reader');
      const queueLog = new QueueLog(other, await other.log('queue', 'q'));
      const replica = new Replica(queueLog, new Snapshots(queueLog, await other.records()), logger);
      await replica.open();
      expect(replica.machine.seq).to.be.at.least(queue.machine.seq);
      replica.close();
      await other.close();
    } finally {
      await queue.close();
      await store.close();
      await cleanup();
    }
  });
});

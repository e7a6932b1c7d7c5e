import type { CronAdapter, QueueAdapter, StateAdapter } from '@treadle/api';
import { partitionSuite } from '@treadle/testing';
import { freshConfig, startEngine, withServer } from '../testing/kit.fixture.js';

partitionSuite({
  withStore: async (body) => {
    const { config, cleanup } = await freshConfig();
    await body({ port: config.port, start: (port) => startEngine<QueueAdapter>('queue', { ...config, port }), startState: (port) => startEngine<StateAdapter>('state', { ...config, port }),
      startCron: (port) => startEngine<CronAdapter>('cron', { ...config, port }) });
    await cleanup();
  },
}, withServer);

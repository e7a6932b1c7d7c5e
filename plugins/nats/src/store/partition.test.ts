import type { CronAdapter, QueueAdapter, StateAdapter } from '@treadle/api';
import { partitionSuite } from '@treadle/testing';
import { freshConfig, startEngine, withServer } from '../testing/kit.fixture.js';

partitionSuite({
  withStore: async (body) => {
    const { config, cleanup } = await freshConfig();
    const { port } = new URL(config.url);
    await body({ port: Number(port), start: (through) => startEngine<QueueAdapter>('queue', { ...config, url: config.url.replace(port, String(through)) }), startState: (through) => startEngine<StateAdapter>('state', { ...config, url: config.url.replace(port, String(through)) }),
      startCron: (through) => startEngine<CronAdapter>('cron', { ...config, url: config.url.replace(port, String(through)) }) });
    await cleanup();
  },
}, withServer);

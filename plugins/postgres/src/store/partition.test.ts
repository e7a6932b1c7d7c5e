import type { CronAdapter, QueueAdapter, StateAdapter } from '@treadle/api';
import { partitionSuite } from '@treadle/testing';
import { freshConfig, startEngine, withServer } from '../testing/kit.fixture.js';

partitionSuite({
  withStore: async (body) => {
    const { config, cleanup } = await freshConfig();
    const urlOf = (port: number): string => Object.assign(new URL(config.url ?? ''), { port: String(port) }).href;
    await body({
      port: Number(new URL(config.url ?? '').port || 5432), start: (port) => startEngine<QueueAdapter>('queue', { ...config, url: urlOf(port) }),
      startState: (port) => startEngine<StateAdapter>('state', { ...config, url: urlOf(port) }),
      startCron: (port) => startEngine<CronAdapter>('cron', { ...config, url: urlOf(port) }),
    });
    await cleanup();
  },
}, withServer);

import type { QueueAdapter } from '@treadle/api';
import { queueServerSuite } from '@treadle/testing';
import { NATS_DEFAULTS } from '../store/store.config.js';
import { startEngine, withServer } from '../testing/kit.fixture.js';
import { startNats } from '../testing/server.fixture.js';

/** Set for the long form. */
const KILLS = process.env['TREADLE_NATS_KILLS'];

queueServerSuite({
  startServer: () => startNats(),
  startQueue: (url) => startEngine<QueueAdapter>('queue', { ...NATS_DEFAULTS, url }),
  claimed: async ({ url }) => {
    const { adapter, stop } = await startEngine<QueueAdapter>('queue', { ...NATS_DEFAULTS, url });
    try {
      return (await adapter.statistics()).reduce((sum, { active }) => sum + active, 0);
    } finally {
      await stop();
    }
  },
  unreachable: /^NATS 127\.0\.0\.1:\d+ cannot be reached: /,
  kills: Number(KILLS ?? 2),
  ...KILLS !== undefined && { told: (figures) => void process.stdout.write(`${JSON.stringify(figures)}\n`) },
}, withServer);

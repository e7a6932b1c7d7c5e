import type { QueueAdapter } from '@treadle/api';
import { queueServerSuite } from '@treadle/testing';
import { POSTGRES_DEFAULTS } from '../store/store.config.js';
import { startEngine, withServer } from '../testing/kit.fixture.js';
import { query, startPostgres } from '../testing/server.fixture.js';

/** Set for the long form. */
const KILLS = process.env['TREADLE_POSTGRES_KILLS'];

queueServerSuite({
  startServer: () => startPostgres([]),
  startQueue: (url) => startEngine<QueueAdapter>('queue', { ...POSTGRES_DEFAULTS, url }),
  claimed: async ({ url }) => (await query(url, 'SELECT 1 FROM treadle.queue_deliveries WHERE state = 3')).length,
  unreachable: /^PostgreSQL 127\.0\.0\.1:\d+\/postgres cannot be reached: /,
  kills: Number(KILLS ?? 2),
  ...KILLS !== undefined && { told: (figures) => void process.stdout.write(`${JSON.stringify(figures)}\n`) },
}, withServer);

import { CRON_FORGETTING, CRON_PAUSES, CRON_TABLES } from '../cron/cron-schema.js';
import { QUEUE_FUNCTIONS, QUEUE_NUMBERS, QUEUE_TABLES } from '../queue/queue-schema.js';
import { STATE_TABLES } from '../state/state-schema.js';
import { STREAM_EPOCH, STREAM_TABLES } from '../stream/stream-schema.js';
import { COPY_TABLES } from '../transfer/copy-schema.js';
import type { Migrations } from './migrations.js';
import { MEMBER_END, STORE_BEATS, STORE_TABLES } from './store-schema.js';

/** Everything that a schema of the database holds, version by version. */
export const MIGRATIONS: Migrations = [
  [STORE_TABLES, QUEUE_TABLES, QUEUE_FUNCTIONS, STATE_TABLES, STREAM_TABLES, CRON_TABLES, MEMBER_END].join('\n'),
  COPY_TABLES,
  CRON_PAUSES,
  QUEUE_FUNCTIONS,
  CRON_FORGETTING,
  QUEUE_FUNCTIONS,
  QUEUE_NUMBERS,
  STREAM_EPOCH,
  STORE_BEATS,
];

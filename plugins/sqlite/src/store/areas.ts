import { cronArea } from '../cron/cron-area.js';
import { queueArea } from '../queue/queue-area.js';
import { stateArea } from '../state/state-operations.js';
import { streamArea } from '../stream/stream-area.js';
import { copyArea } from '../transfer/copy-area.js';
import type { StoreArea } from './store-area.js';

/** All areas of a store file; the writer thread and the engine read the same list. */
export const AREAS: readonly StoreArea[] = [stateArea, queueArea, streamArea, cronArea, copyArea];

import type { StoreArea } from '../store/store-area.js';
import { enqueueOperation } from './enqueue-operation.js';
import { discardOperation, forgetOperation, redriveOperation } from './letter-operations.js';
import { CEILINGS, VERSION_1 } from './queue-schema.js';
import { expireUnroutedOperation, purgeOperation, retireOperation, settleOperation } from './settle-operation.js';
import { subscriptionsOperation } from './subscription-operations.js';

/** Where the queue adapter keeps messages and subscriptions. */
export const queueArea: StoreArea = {
  name: 'queue',
  migrations: [VERSION_1],
  onSalvage: CEILINGS,
  // A paused subscription has to be resumed before what waits in it can be consumed.
  freeing: new Set(['queue.settle', 'queue.purge', 'queue.discard', 'queue.forget', 'queue.expire', 'queue.subscriptions']),
  operations: (connection) => ({
    'queue.enqueue': enqueueOperation(connection),
    'queue.settle': settleOperation(connection),
    'queue.purge': purgeOperation(connection),
    'queue.retire': retireOperation(connection),
    'queue.expire': expireUnroutedOperation(connection),
    'queue.subscriptions': subscriptionsOperation(connection),
    'queue.redrive': redriveOperation(connection),
    'queue.discard': discardOperation(connection),
    'queue.forget': forgetOperation(connection),
  }),
};

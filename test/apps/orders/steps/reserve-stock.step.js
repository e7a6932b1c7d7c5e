import { NonRetryableError, queue, step } from 'treadle';
import { note, orderPlaced, orderReserved } from '../src/orders.js';

export default step(
  {
    name: 'ReserveStock',
    triggers: [queue(orderPlaced, { config: { maxAttempts: 5, backoff: { delayMs: 200 } } })],
    enqueues: [orderReserved],
    flows: ['orders'],
  },
  async (order, { enqueue, state }) => {
    const entry = await state.getEntry('stock', order.article);
    if (!entry) throw new NonRetryableError(`there is no article ${order.article}`);
    const { left, taken } = entry.value;
    if (taken[order.id] === undefined) {
      if (left < order.count) throw new NonRetryableError(`${order.article} is sold out`);
      // When somebody was faster this throws StateConflict, and the message comes again.
      await state.compareAndSet('stock', order.article, entry.revision, { left: left - order.count, taken: { ...taken, [order.id]: order.count } });
    }
    await note(state, order.id, 'reserved');
    await enqueue({ topic: orderReserved, data: order, dedupeKey: order.id });
  },
);

import { queue, step } from 'treadle';
import { note, orderPaid } from '../src/orders.js';

export default step(
  { name: 'ShipOrder', triggers: [queue(orderPaid)], flows: ['orders'] },
  async ({ id }, { logger, state }) => {
    await note(state, id, 'shipped');
    logger.info('order shipped', { id });
  },
);

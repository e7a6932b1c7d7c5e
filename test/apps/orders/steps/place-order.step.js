import { http, step } from 'treadle';
import { note, order, orderPlaced } from '../src/orders.js';

export default step(
  { name: 'PlaceOrder', triggers: [http('POST', '/orders', { bodySchema: order })], enqueues: [orderPlaced], flows: ['orders'] },
  async ({ body }, { enqueue, state }) => {
    await note(state, body.id, 'placed');
    await enqueue({ topic: orderPlaced, data: body, dedupeKey: body.id });
    return { status: 202, body: { id: body.id } };
  },
);

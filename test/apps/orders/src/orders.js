import { topic } from 'treadle';
import { z } from 'zod';

export const order = z.object({ id: z.string().min(1), article: z.string(), count: z.number().int().min(1), cents: z.number().int().min(1) });

export const orderPlaced = topic('order.placed', order);
export const orderReserved = topic('order.reserved', order);
export const orderPaid = topic('order.paid', order);

/** Where an order stands, in the group `orders`; a repeat writes the same again. */
export function note(state, id, status) {
  return state.update('orders', id, [{ type: 'set', path: 'status', value: status }]);
}

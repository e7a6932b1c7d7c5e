import { queue, step } from 'treadle';
import { received } from '../src/payment.js';

export default step(
  {
    name: 'BookPayment',
    description: 'Books a payment on its invoice, once for each event',
    triggers: [queue(received, { condition: ({ type }) => type === 'payment.succeeded' })],
  },
  async ({ id, invoice, cents }, { logger, state }) => {
    // By the event's id: a message that is delivered again books the same thing again. So does an event that is older than 24 hours.
    const { value } = await state.update<Record<string, number>>('invoices', invoice, [{ type: 'set', path: [id], value: cents }]);
    logger.info('payment booked', { invoice, paid: Object.values(value).reduce((sum, part) => sum + part, 0) });
  },
);

import { NonRetryableError, queue, RetryAfter, step } from 'treadle';
import { note, orderPaid, orderReserved } from '../src/orders.js';

export default step(
  {
    name: 'ChargeCard',
    description: 'Asks the bank; gives up after three attempts, and then waits among the dead letters',
    triggers: [queue(orderReserved, { config: { maxAttempts: 3, backoff: { delayMs: 100 } } })],
    enqueues: [orderPaid],
    flows: ['orders'],
  },
  async (order, { enqueue, signal, state }) => {
    // The order's id makes a second call harmless.
    const headers = { 'content-type': 'application/json', 'idempotency-key': order.id };
    const answer = await fetch(`${process.env.BANK_URL}/charges`, { method: 'POST', headers, body: JSON.stringify({ cents: order.cents }), signal });
    if (answer.status === 429) throw new RetryAfter(1000 * Number(answer.headers.get('retry-after') ?? 60));
    if (answer.status === 402) throw new NonRetryableError('the card was declined');
    if (!answer.ok) throw new Error(`the bank answered ${answer.status}`);
    await note(state, order.id, 'paid');
    await enqueue({ topic: orderPaid, data: order, dedupeKey: order.id });
  },
);

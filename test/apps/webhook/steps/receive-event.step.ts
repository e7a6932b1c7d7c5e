import { http, step } from 'treadle';
import { paymentEvent, received } from '../src/payment.js';
import { signed } from '../src/signed.js';

export default step(
  {
    name: 'ReceiveEvent',
    description: 'Checks the signature and answers at once; the work is a message',
    triggers: [http('POST', '/webhooks/payments', { rawBody: true, bodySchema: paymentEvent, middleware: [signed] })],
    enqueues: [received],
  },
  async ({ body }, { enqueue }) => {
    // The same event again, within 24 hours, writes nothing.
    await enqueue({ topic: received, data: body, dedupeKey: body.id });
    return { status: 202 };
  },
);

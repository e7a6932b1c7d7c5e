import { http, step } from 'treadle';
import { z } from 'zod';
import { splitBill } from '../src/split-bill.js';

/** Checked before the handler runs; what does not fit is answered with 400 and the reasons. */
const bill = z.object({
  total: z.number().positive().max(1_000_000),
  people: z.number().int().min(1).max(100),
  tipPercent: z.number().min(0).max(100).default(0),
});

/** POST /bills/split {"total": 100, "people": 3} answers who pays what. */
export default step(
  {
    name: 'SplitBill',
    description: 'Splits a bill fairly, to the cent.',
    triggers: [
      http('POST', '/bills/split', {
        bodySchema: bill,
        responseSchema: { 200: z.object({ total: z.number(), shares: z.array(z.number()) }) },
      }),
    ],
  },
  // `body` has the type of the schema: no casts, no generated code.
  async ({ body }) => {
    const cents = Math.round(body.total * (100 + body.tipPercent));
    const shares = splitBill(cents, body.people).map((share) => share / 100);
    return { status: 200, body: { total: cents / 100, shares } };
  },
);

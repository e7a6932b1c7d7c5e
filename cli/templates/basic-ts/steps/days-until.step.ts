import { http, step } from 'treadle';
import { z } from 'zod';

const DAY_MS = 24 * 60 * 60 * 1000;

/** GET /days-until/2030-01-01 answers how many days are left. */
export default step(
  {
    name: 'DaysUntil',
    description: 'Counts the days until a date.',
    triggers: [
      http('GET', '/days-until/:date', {
        responseSchema: {
          200: z.object({ date: z.string(), days: z.number() }),
          400: z.object({ error: z.string() }),
        },
      }),
    ],
  },
  async ({ pathParams }) => {
    const parsed = z.iso.date().safeParse(pathParams['date']);
    if (!parsed.success) return { status: 400, body: { error: 'write the date as 2030-01-01' } };
    const days = Math.ceil((Date.parse(parsed.data) - Date.now()) / DAY_MS);
    return { status: 200, body: { date: parsed.data, days } };
  },
);

import { http, step } from 'treadle';
import { z } from 'zod';
import { ticket } from '../src/ticket.js';
import { findTickets } from '../src/ticket-store.js';

const page = z.number().int().min(1);
const limit = z.number().int().min(1).max(100);

export const { config, handler } = step(
  {
    name: 'ListTickets',
    description: 'Lists tickets page by page, oldest first',
    triggers: [
      http('GET', '/tickets', {
        querySchema: z.object({
          status: z.enum(['', 'open', 'triaged', 'closed']).optional(),
          page: page.default(1),
          limit: limit.default(10),
        }),
        responseSchema: { 200: z.object({ items: z.array(ticket), page, limit, total: z.number().int() }) },
      }),
    ],
    flows: ['tickets'],
  },
  async ({ query }, { state }) => {
    const all = await findTickets(state, query.status);
    const first = (query.page - 1) * query.limit;
    const items = all.slice(first, first + query.limit);
    return { status: 200, body: { items, page: query.page, limit: query.limit, total: all.length } };
  },
);

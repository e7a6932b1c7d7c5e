import type { StreamConfig } from 'treadle';
import { z } from 'zod';
import { ticket } from '../src/ticket.js';

/** The live board: a group for each status. Everybody may look at it. */
export const config = {
  name: 'board',
  description: 'Tickets by status',
  schema: z.object({ id: z.uuid(), title: z.string(), priority: ticket.shape.priority }),
  canAccess: () => true,
} satisfies StreamConfig;

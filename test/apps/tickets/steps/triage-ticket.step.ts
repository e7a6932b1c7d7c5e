import { queue, step } from 'treadle';
import { showOnBoard } from '../src/board.js';
import type { Ticket } from '../src/ticket.js';
import { TICKETS } from '../src/ticket-store.js';
import { ticketCreated, ticketTriaged } from '../src/topics.js';

/** Hours until a ticket should be solved. */
const HOURS = { high: 4, normal: 24, low: 72 } as const;

export const { config, handler } = step(
  {
    name: 'TriageTicket',
    description: 'Gives a new ticket its deadline',
    triggers: [queue(ticketCreated)],
    enqueues: [ticketTriaged],
    flows: ['tickets'],
  },
  async ({ ticketId }, { enqueue, state, streams }) => {
    const found = await state.get<Ticket>(TICKETS, ticketId);
    if (!found || found.status === 'closed') return;
    const dueAt = new Date(Date.parse(found.createdAt) + HOURS[found.priority] * 3_600_000).toISOString();
    const { value: triaged } = await state.update<Ticket>(TICKETS, ticketId, [{ type: 'merge', value: { status: 'triaged', dueAt } }]);
    await showOnBoard(streams, triaged);
    await enqueue({ topic: ticketTriaged, data: { ticketId, priority: triaged.priority }, dedupeKey: ticketId });
  },
);

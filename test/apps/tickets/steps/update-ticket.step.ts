import { http, step } from 'treadle';
import { ticket, ticketChanges, type Ticket } from '../src/ticket.js';
import { TICKETS } from '../src/ticket-store.js';

export const { config, handler } = step(
  {
    name: 'UpdateTicket',
    description: 'Renames, closes or reopens a ticket',
    triggers: [http('PUT', '/tickets/:id', { bodySchema: ticketChanges, responseSchema: { 200: ticket } })],
    flows: ['tickets'],
  },
  async ({ pathParams, body }, { logger, state }) => {
    const found = await state.get<Ticket>(TICKETS, pathParams.id);
    if (!found) return { status: 404 };
    const { value: updated } = await state.update<Ticket>(TICKETS, found.id, [{ type: 'merge', value: body }]);
    if (updated.status !== found.status) logger.info('ticket status changed', { ticketId: found.id, status: updated.status });
    return { status: 200, body: updated };
  },
);

import { http, step } from 'treadle';
import { ticket, ticketChanges } from '../src/ticket.js';
import { ticketStore } from '../src/ticket-store.js';

export const { config, handler } = step(
  {
    name: 'UpdateTicket',
    description: 'Renames, closes or reopens a ticket',
    triggers: [http('PUT', '/tickets/:id', { bodySchema: ticketChanges, responseSchema: { 200: ticket } })],
    flows: ['tickets'],
  },
  async ({ pathParams, body }, { logger }) => {
    const found = ticketStore.get(pathParams.id);
    if (!found) return { status: 404 };
    const updated = ticketStore.save({ ...found, ...body });
    if (updated.status !== found.status) logger.info('ticket status changed', { ticketId: found.id, status: updated.status });
    return { status: 200, body: updated };
  },
);

import { http, step } from 'treadle';
import { showOnBoard } from '../src/board.js';
import { ticket, ticketChanges, type Ticket } from '../src/ticket.js';
import { TICKETS } from '../src/ticket-store.js';
import { ticketClosed } from '../src/topics.js';

export const { config, handler } = step(
  {
    name: 'UpdateTicket',
    description: 'Renames, closes or reopens a ticket',
    triggers: [http('PUT', '/tickets/:id', { bodySchema: ticketChanges, responseSchema: { 200: ticket } })],
    enqueues: [ticketClosed],
    flows: ['tickets'],
  },
  async ({ pathParams, body }, { enqueue, logger, state, streams }) => {
    const found = await state.get<Ticket>(TICKETS, pathParams.id);
    if (!found) return { status: 404 };
    const { value: updated } = await state.update<Ticket>(TICKETS, found.id, [{ type: 'merge', value: body }]);
    await showOnBoard(streams, updated);
    if (updated.status !== found.status) {
      logger.info('ticket status changed', { ticketId: found.id, status: updated.status });
      if (updated.status === 'closed') await enqueue({ topic: ticketClosed, data: { ticketId: found.id } });
    }
    return { status: 200, body: updated };
  },
);

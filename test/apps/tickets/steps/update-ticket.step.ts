import { http, step } from 'treadle';
import { showOnBoard } from '../src/board.js';
import { ticket, ticketChanges } from '../src/ticket.js';
import { changeTicket } from '../src/ticket-store.js';
import { ticketClosed } from '../src/topics.js';

export const { config, handler } = step(
  {
    name: 'UpdateTicket',
    description: 'Renames, closes or reopens a ticket',
    triggers: [http('PUT', '/tickets/:id', { bodySchema: ticketChanges, responseSchema: { 200: ticket } })],
    enqueues: [ticketClosed],
    // Read by another application; without this line the engine warns that nobody consumes the topic.
    virtualSubscribes: [ticketClosed],
    flows: ['tickets'],
  },
  async ({ pathParams, body }, { enqueue, logger, state, streams }) => {
    const change = await changeTicket(state, pathParams.id, () => body);
    if (!change) return { status: 404 };
    const { before, after } = change;
    await showOnBoard(streams, after);
    if (after.status !== before.status) {
      logger.info('ticket status changed', { ticketId: after.id, status: after.status });
      if (after.status === 'closed') await enqueue({ topic: ticketClosed, data: { ticketId: after.id } });
    }
    return { status: 200, body: after };
  },
);

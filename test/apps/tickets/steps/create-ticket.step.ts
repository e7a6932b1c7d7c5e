import { randomUUID } from 'node:crypto';
import { http, step } from 'treadle';
import { showOnBoard } from '../src/board.js';
import { createdTicket, newTicket, type Ticket } from '../src/ticket.js';
import { TICKETS } from '../src/ticket-store.js';
import { ticketCreated } from '../src/topics.js';

export const { config, handler } = step(
  {
    name: 'CreateTicket',
    description: 'Takes in a ticket of a customer',
    triggers: [http('POST', '/tickets', { bodySchema: newTicket, responseSchema: { 201: createdTicket } })],
    enqueues: [ticketCreated],
    flows: ['tickets'],
  },
  async ({ body }, { enqueue, logger, state, streams }) => {
    const ticket: Ticket = { ...body, id: randomUUID(), status: 'open', createdAt: new Date().toISOString() };
    await state.set(TICKETS, ticket.id, ticket);
    await showOnBoard(streams, ticket);
    await enqueue({ topic: ticketCreated, data: { ticketId: ticket.id } });
    logger.info('ticket created', { ticketId: ticket.id, priority: ticket.priority });
    const { id, title, priority, status, createdAt } = ticket;
    return { status: 201, body: { id, title, priority, status, createdAt } };
  },
);

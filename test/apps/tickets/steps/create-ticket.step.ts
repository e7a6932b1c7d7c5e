import { randomUUID } from 'node:crypto';
import { http, step } from 'treadle';
import { createdTicket, newTicket, type Ticket } from '../src/ticket.js';
import { TICKETS } from '../src/ticket-store.js';

export const { config, handler } = step(
  {
    name: 'CreateTicket',
    description: 'Takes in a ticket of a customer',
    triggers: [http('POST', '/tickets', { bodySchema: newTicket, responseSchema: { 201: createdTicket } })],
    flows: ['tickets'],
  },
  async ({ body }, { logger, state }) => {
    const ticket: Ticket = { ...body, id: randomUUID(), status: 'open', createdAt: new Date().toISOString() };
    await state.set(TICKETS, ticket.id, ticket);
    logger.info('ticket created', { ticketId: ticket.id, priority: ticket.priority });
    const { id, title, priority, status, createdAt } = ticket;
    return { status: 201, body: { id, title, priority, status, createdAt } };
  },
);

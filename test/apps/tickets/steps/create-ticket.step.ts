import { randomUUID } from 'node:crypto';
import { http, step } from 'treadle';
import { createdTicket, newTicket } from '../src/ticket.js';
import { ticketStore } from '../src/ticket-store.js';

export const { config, handler } = step(
  {
    name: 'CreateTicket',
    description: 'Takes in a ticket of a customer',
    triggers: [http('POST', '/tickets', { bodySchema: newTicket, responseSchema: { 201: createdTicket } })],
    flows: ['tickets'],
  },
  async ({ body }, { logger }) => {
    const ticket = ticketStore.save({ ...body, id: randomUUID(), status: 'open', createdAt: new Date().toISOString() });
    logger.info('ticket created', { ticketId: ticket.id, priority: ticket.priority });
    const { id, title, priority, status, createdAt } = ticket;
    return { status: 201, body: { id, title, priority, status, createdAt } };
  },
);

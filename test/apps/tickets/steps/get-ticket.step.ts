import { http, step } from 'treadle';
import { ticket } from '../src/ticket.js';
import { ticketStore } from '../src/ticket-store.js';

export const { config, handler } = step(
  {
    name: 'GetTicket',
    description: 'Shows one ticket',
    triggers: [http('GET', '/tickets/:id', { responseSchema: { 200: ticket } })],
    flows: ['tickets'],
  },
  async ({ pathParams }) => {
    const found = ticketStore.get(pathParams.id);
    return found ? { status: 200, body: found } : { status: 404 };
  },
);

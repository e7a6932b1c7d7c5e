import { http, step } from 'treadle';
import { ticket, type Ticket } from '../src/ticket.js';
import { TICKETS } from '../src/ticket-store.js';

export const { config, handler } = step(
  {
    name: 'GetTicket',
    description: 'Shows one ticket',
    triggers: [http('GET', '/tickets/:id', { responseSchema: { 200: ticket } })],
    flows: ['tickets'],
  },
  async ({ pathParams }, { state }) => {
    const found = await state.get<Ticket>(TICKETS, pathParams.id);
    return found ? { status: 200, body: found } : { status: 404 };
  },
);

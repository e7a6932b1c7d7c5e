import { http, step } from 'treadle';
import { ticketStore } from '../src/ticket-store.js';

export const { config, handler } = step(
  {
    name: 'DeleteTicket',
    description: 'Forgets a ticket; forgetting it twice is fine',
    triggers: [http('DELETE', '/tickets/:id')],
    flows: ['tickets'],
  },
  async ({ pathParams }) => {
    ticketStore.remove(pathParams.id);
    return { status: 204 };
  },
);

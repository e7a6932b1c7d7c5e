import { http, step } from 'treadle';
import { TICKETS } from '../src/ticket-store.js';

export const { config, handler } = step(
  {
    name: 'DeleteTicket',
    description: 'Forgets a ticket; forgetting it twice is fine',
    triggers: [http('DELETE', '/tickets/:id')],
    flows: ['tickets'],
  },
  async ({ pathParams }, { state }) => {
    await state.delete(TICKETS, pathParams.id);
    return { status: 204 };
  },
);

import { http, step } from 'treadle';
import { hideFromBoard } from '../src/board.js';
import { TICKETS } from '../src/ticket-store.js';

export const { config, handler } = step(
  {
    name: 'DeleteTicket',
    description: 'Forgets a ticket; forgetting it twice is fine',
    triggers: [http('DELETE', '/tickets/:id')],
    flows: ['tickets'],
  },
  async ({ pathParams }, { state, streams }) => {
    await state.delete(TICKETS, pathParams.id);
    await hideFromBoard(streams, pathParams.id);
    return { status: 204 };
  },
);

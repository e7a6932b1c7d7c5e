import { state, step } from 'treadle';
import { TICKETS } from '../src/ticket-store.js';

export const { config, handler } = step(
  {
    name: 'AuditTicket',
    description: 'Writes down every change of a ticket',
    triggers: [state({ group: TICKETS })],
    flows: ['tickets'],
  },
  async ({ type, key, newValue }, { state }) => {
    const status = (newValue as { status?: string } | null)?.status ?? null;
    await state.update('audit', key, [{ type: 'append', value: { change: type, status } }]);
  },
);

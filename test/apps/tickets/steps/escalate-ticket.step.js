import { queue, step } from 'treadle';

export const { config, handler } = step(
  {
    name: 'EscalateTicket',
    description: 'Raises the alarm for a ticket of high priority',
    triggers: [queue('ticket.triaged', { condition: ({ priority }) => priority === 'high' })],
    flows: ['tickets'],
  },
  async ({ ticketId }, { state, streams }) => {
    await state.set('escalations', ticketId, { ticketId, escalatedAt: new Date().toISOString() });
    await streams.board.send({ groupId: 'triaged', id: ticketId }, { type: 'escalated', data: { ticketId } });
  },
);

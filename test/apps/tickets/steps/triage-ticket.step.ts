import { queue, step } from 'treadle';
import { showOnBoard } from '../src/board.js';
import { changeTicket } from '../src/ticket-store.js';
import { ticketCreated, ticketTriaged } from '../src/topics.js';

/** Hours until a ticket should be solved. */
const HOURS = { high: 4, normal: 24, low: 72 } as const;

export const { config, handler } = step(
  {
    name: 'TriageTicket',
    description: 'Gives a new ticket its deadline',
    triggers: [queue(ticketCreated)],
    enqueues: [ticketTriaged],
    flows: ['tickets'],
  },
  async ({ ticketId }, { enqueue, state, streams }) => {
    const change = await changeTicket(state, ticketId, ({ status, createdAt, priority }) => {
      if (status === 'closed') return undefined;
      return { status: 'triaged', dueAt: new Date(Date.parse(createdAt) + HOURS[priority] * 3_600_000).toISOString() };
    });
    if (!change) return;
    await showOnBoard(streams, change.after);
    await enqueue({ topic: ticketTriaged, data: { ticketId, priority: change.after.priority }, dedupeKey: ticketId });
  },
);

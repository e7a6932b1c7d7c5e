import { queue, step } from 'treadle';
import { findTickets } from '../src/ticket-store.js';
import { digestRun } from '../src/topics.js';

export const { config, handler } = step(
  {
    name: 'SendDigest',
    description: 'Counts the tickets by status',
    triggers: [queue(digestRun)],
    flows: ['digest'],
  },
  async ({ date }, { state }) => {
    const counts: Record<string, number> = { open: 0, triaged: 0, closed: 0 };
    for (const { status } of await findTickets(state)) counts[status] = (counts[status] ?? 0) + 1;
    await state.set('digests', date, counts);
  },
);

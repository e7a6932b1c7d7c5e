import type { State } from 'treadle';
import type { Ticket } from './ticket.js';

/** The group of state in which tickets are kept, by id. */
export const TICKETS = 'tickets';

/** All tickets with a status, or all of them, oldest first. */
export async function findTickets(state: State, status?: string): Promise<Ticket[]> {
  const tickets: Ticket[] = [];
  let cursor: string | undefined;
  do {
    const page = await state.list<Ticket>(TICKETS, { limit: 1000, cursor });
    tickets.push(...page.items.map(({ value }) => value));
    cursor = page.cursor;
  } while (cursor);
  return tickets
    .filter((ticket) => !status || ticket.status === status)
    .sort((a, b) => a.createdAt.localeCompare(b.createdAt));
}

/**
 * Changes a ticket, whoever else does so at the same moment. Undefined when it is gone, which an `update` would bring back, or
 * when `change` wants nothing of it.
 */
export async function changeTicket(
  state: State, id: string, change: (ticket: Ticket) => Partial<Ticket> | undefined,
): Promise<{ readonly before: Ticket; readonly after: Ticket } | undefined> {
  for (;;) {
    const entry = await state.getEntry<Ticket>(TICKETS, id);
    const changes = entry ? change(entry.value) : undefined;
    if (!entry || !changes) return undefined;
    try {
      const { value } = await state.compareAndSet(TICKETS, id, entry.revision, { ...entry.value, ...changes });
      return { before: entry.value, after: value };
    } catch (error) {
      if ((error as { code?: string }).code !== 'StateConflict') throw error;
    }
  }
}

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

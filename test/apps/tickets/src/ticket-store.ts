import type { Ticket } from './ticket.js';

const tickets = new Map<string, Ticket>();

/** Tickets in memory, oldest first: they live as long as the Step process. */
export const ticketStore = {
  get: (id: string): Ticket | undefined => tickets.get(id),
  list: (status?: string): Ticket[] => [...tickets.values()].filter((ticket) => !status || ticket.status === status),
  save(ticket: Ticket): Ticket {
    tickets.set(ticket.id, ticket);
    return ticket;
  },
  remove: (id: string): boolean => tickets.delete(id),
};

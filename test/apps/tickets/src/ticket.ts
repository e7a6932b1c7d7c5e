import { z } from 'zod';

const title = z.string().min(1).max(200);

export const priority = z.enum(['low', 'normal', 'high']);

export const newTicket = z.object({
  title,
  description: z.string().optional(),
  priority: priority.default('normal'),
  /** Without an email nobody can be told: the mail's message becomes a dead letter. */
  customer: z.object({ id: z.string().min(1), email: z.email().optional() }),
});

export const ticket = newTicket.extend({
  id: z.uuid(),
  status: z.enum(['open', 'triaged', 'closed']),
  createdAt: z.iso.datetime(),
  /** When it should be solved. */
  dueAt: z.iso.datetime().optional(),
});

/** What the creator is told. */
export const createdTicket = ticket.pick({ id: true, title: true, priority: true, status: true, createdAt: true });

export const ticketChanges = z.object({ title: title.optional(), status: z.enum(['open', 'closed']).optional() });

export type NewTicket = z.infer<typeof newTicket>;
export type Ticket = z.infer<typeof ticket>;
export type TicketChanges = z.infer<typeof ticketChanges>;

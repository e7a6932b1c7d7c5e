import { z } from 'zod';

const title = z.string().min(1).max(200);

export const newTicket = z.object({
  title,
  description: z.string().optional(),
  priority: z.enum(['low', 'normal', 'high']).default('normal'),
  customer: z.object({ id: z.string().min(1), email: z.email() }),
});

export const ticket = newTicket.extend({
  id: z.uuid(),
  status: z.enum(['open', 'closed']),
  createdAt: z.iso.datetime(),
});

/** What the creator is told. */
export const createdTicket = ticket.pick({ id: true, title: true, priority: true, status: true, createdAt: true });

export const ticketChanges = z.object({ title: title.optional(), status: ticket.shape.status.optional() });

export type NewTicket = z.infer<typeof newTicket>;
export type Ticket = z.infer<typeof ticket>;
export type TicketChanges = z.infer<typeof ticketChanges>;

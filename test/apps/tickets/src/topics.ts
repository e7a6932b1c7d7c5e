import { topic } from 'treadle';
import { z } from 'zod';
import { priority } from './ticket.js';

/** A customer has opened a ticket. */
export const ticketCreated = topic('ticket.created', z.object({ ticketId: z.uuid() }));

/** A ticket has its deadline. */
export const ticketTriaged = topic('ticket.triaged', z.object({ ticketId: z.uuid(), priority }));

/** A ticket was closed. Nobody listens yet. */
export const ticketClosed = topic('ticket.closed', z.object({ ticketId: z.uuid() }));

/** The digest of a day is wanted; `date` as YYYY-MM-DD. */
export const digestRun = topic('digest.run', z.object({ date: z.iso.date() }));

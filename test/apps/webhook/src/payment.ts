import { topic } from 'treadle';
import { z } from 'zod';

/** What the payment service says: an event with an id of its own. It sends an event again until it gets a 2xx. */
export const paymentEvent = z.object({ id: z.string(), type: z.string(), invoice: z.string(), cents: z.number().int() });

export const received = topic('payment.event', paymentEvent);

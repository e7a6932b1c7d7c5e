import { topic } from 'treadle';
import { z } from 'zod';

/** Somebody was greeted. The schema types the message where it is sent and where it arrives. */
export const greeted = topic('greeted', z.object({ name: z.string() }));

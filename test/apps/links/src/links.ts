import { topic } from 'treadle';
import { z } from 'zod';

/** What is kept of a link, in the group `links`, by code. */
export interface Link {
  readonly url: string;
  readonly visits: number;
}

export const followed = topic('link.followed', z.object({ code: z.string() }));

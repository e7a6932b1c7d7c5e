import { sessionCookie } from 'treadle/auth';

/** Who somebody is, in a signed cookie. `SESSION_SECRET` has 16 characters or more. */
export const session = sessionCookie<{ user: string }>({ secret: process.env['SESSION_SECRET'] });

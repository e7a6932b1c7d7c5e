import { session } from '../src/session.js';

/** The browser sends the session's cookie when it connects. */
export const authenticate = session.authenticate;

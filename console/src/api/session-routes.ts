import { invalidArgument, limitArgument } from '@treadle/api';
import { callerOf, includes } from '../access/caller.js';
import type { AuditEntry, Page, Role, SessionLink } from '../contract/index.js';
import { Refusal } from '../server/refusal.js';
import type { OwnRequest, OwnRoute } from './own-route.js';
import type { Surroundings } from './surroundings.js';

const ROLES: readonly Role[] = ['viewer', 'operator', 'admin'];
const AUDIT_PAGE = 100;
const MOST_OF_AUDIT = 1_000;

/** Routes about who asks, and who has changed what. */
export const SESSION_ROUTES: readonly OwnRoute[] = [
  { method: 'POST', path: '/session/link', takes: ['role', 'payloads'], role: 'viewer', summary: 'A link that opens the page in a browser, once', answer: sessionLink },
  { method: 'POST', path: '/session/end', takes: [], role: 'viewer', summary: 'Ends the session of the browser that asks', answer: endSession },
  { method: 'GET', path: '/audit', takes: ['limit', 'cursor'], summary: 'Who changed what, the latest first', answer: audit },
];

/** For somebody of the same role, or of a lower one, who sees no more payloads. */
function sessionLink({ access }: Surroundings, { caller, body }: OwnRequest): SessionLink {
  const { role = caller.role, payloads = caller.payloads !== false } = (body ?? {}) as { readonly role?: Role; readonly payloads?: unknown };
  if (!ROLES.includes(role)) throw invalidArgument(`"role" must be one of ${ROLES.join(', ')}`);
  if (typeof payloads !== 'boolean') throw invalidArgument('"payloads" must be true or false');
  if (payloads && caller.payloads === false) throw new Refusal(403, 'role_refused', `"${caller.name}" sees no payloads, and can make no link for somebody who does`);
  if (!includes(caller.role, role)) throw new Refusal(403, 'role_refused', `a ${caller.role} can make no link for the role ${role}`);
  if (access.url === undefined) throw new Refusal(409, 'page_off', 'this engine does not serve the page; set "page: true" in the configuration of modules::console::ConsoleModule');
  const { token, expiresAt } = access.sessions.link(callerOf(caller.name, role, payloads));
  return { url: `${access.url}/?t=${token}`, expiresAt: new Date(expiresAt).toISOString() };
}

function endSession({ access: { sessions, cookie } }: Surroundings, { incoming, setHeader }: OwnRequest): undefined {
  const id = cookie.read(incoming);
  if (id !== undefined) sessions.end(id);
  setHeader('set-cookie', cookie.end);
}

function audit({ audit: entries }: Surroundings, { query }: OwnRequest): Page<AuditEntry> {
  const { cursor, limit } = query;
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) throw invalidArgument('cursor must be one that a former page gave');
  return entries.page(limitArgument(limit, AUDIT_PAGE, MOST_OF_AUDIT), cursor === undefined ? undefined : Number(cursor));
}

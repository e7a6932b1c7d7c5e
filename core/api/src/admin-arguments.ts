import { AdminError, type AdminRequest } from './admin.js';
import { nearest } from './nearest.js';

/**
 * Refuses what a misspelt argument would silently leave out.
 * @param given a query or a body; what is no object has no arguments
 * @param known names of the arguments that the route takes
 * @throws {AdminError} 400 that names the unknown argument and the one that was probably meant
 */
export function refuseUnknownArguments(given: unknown, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return;
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const meant = nearest(unknown, known);
  throw invalidArgument(`there is no argument "${shown(unknown)}"; ${meant === undefined ? listed(known) : `did you mean "${meant}"?`}`);
}

/**
 * Refuses a request to a route that takes its arguments from the body although they stand in the query, or names others than `known`.
 * @throws {AdminError} 400
 */
export function refuseUnknownMembers({ query, body }: Pick<AdminRequest, 'query' | 'body'>, known: readonly string[]): void {
  const [misplaced] = Object.keys(query);
  if (misplaced !== undefined) throw invalidArgument(`"${shown(misplaced)}" stands in the query; this route takes its arguments from the body`);
  refuseUnknownArguments(body, known);
}

/** The refusal of an argument that cannot be. */
export function invalidArgument(message: string): AdminError {
  return new AdminError(400, 'invalid_argument', message);
}

/** The number of items that a query asks for. @throws {AdminError} 400 */
export function limitArgument(value: unknown, byDefault: number, most: number): number {
  if (value === undefined) return byDefault;
  const limit = Number(value);
  if (Number.isInteger(limit) && limit >= 1 && limit <= most) return limit;
  throw invalidArgument(`"limit" must be a whole number from 1 to ${most}, got "${shown(String(value))}"`);
}

/** Longest name that is repeated. */
const MAX_SHOWN = 250;

function shown(name: string): string {
  return name.slice(0, MAX_SHOWN);
}

function listed(known: readonly string[]): string {
  if (known.length === 0) return 'this call takes none';
  return known.length === 1 ? `there is ${known[0]}` : `there are ${known.join(', ')}`;
}

/** The body, whose `revision` may also stand in `If-Match`. @throws AdminError 400 */
export function bodyWithRevision({ body, ifMatch }: AdminRequest): unknown {
  return ifMatch === undefined ? body : { ...body as object, revision: revisionOf(ifMatch) };
}

/** `If-Match: "7"` means the revision 7. */
function revisionOf(ifMatch: string): number {
  const revision = /^"(\d{1,15})"$/.exec(ifMatch)?.[1];
  if (revision === undefined) throw invalidArgument('If-Match must be the revision in quotes, as ETag gives it');
  return Number(revision);
}

import { treadleError } from '@treadle/api';
import type { Queries } from '../store/connections.js';

/** `side`: `to` where something is copied to this schema, `from` where something of it is copied. `mark`: how far, as the copier notes it. */
export const COPY_TABLES = `
  CREATE TABLE store_copies (slot text NOT NULL, side text NOT NULL, mark text NOT NULL, complete boolean NOT NULL, PRIMARY KEY (slot, side));`;

/** The two keys of the lock that keeps engines and copies apart. */
export const COPY_LOCK = 'store_key() # 3, 0';

const ENTER = `SELECT pg_try_advisory_lock_shared(${COPY_LOCK}) AS ok`;
const HALF = "SELECT 1 FROM store_copies WHERE side = 'to' AND NOT complete LIMIT 1";
const FORGET = "DELETE FROM store_copies WHERE side = 'from'";

/**
 * Lets an engine in, for as long as its session lasts; a copy of the schema that was broken off cannot be gone on with afterwards.
 * @throws {STORE_IN_USE} while it is copied
 * @throws {COPY_UNFINISHED} when it is half of a copy
 */
export async function enterStore(session: Queries, store: string): Promise<void> {
  const [lock] = await session.rows<{ ok: boolean }>(ENTER);
  if (!lock?.ok) throw treadleError('STORE_IN_USE', { store, users: '"treadle store copy" runs' });
  if ((await session.rows(HALF)).length > 0) throw treadleError('COPY_UNFINISHED', { store });
  await session.rows(FORGET);
}

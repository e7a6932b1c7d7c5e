import { DELETED_REVISION_MS, type StateCommitWrite } from '@treadle/api';
import type { Queries } from '../store/connections.js';
import type { PgStore } from '../store/pg-store.js';
import { placeOf, WRITE } from './state-writer.js';

/** Keys that are not there get a row without value: whoever else comes to write one has to wait for it, too. */
const HOLD = `INSERT INTO state_entries (grp, key, revision, due_at)
  SELECT k.grp, k.key, coalesce(f.revision, 0), $3 FROM unnest($1::text[], $2::text[]) AS k (grp, key) LEFT JOIN state_floors f ON f.grp = k.grp
  WHERE NOT EXISTS (SELECT 1 FROM state_entries e WHERE e.grp = k.grp AND e.key = k.key) ORDER BY k.grp, k.key ON CONFLICT DO NOTHING`;
const LOCK = `SELECT e.grp, e.key, e.revision, e.value IS NOT NULL AND (e.due_at IS NULL OR e.due_at > $3) AS live FROM state_entries e
  WHERE (e.grp, e.key) IN (SELECT * FROM unnest($1::text[], $2::text[])) ORDER BY e.grp, e.key FOR UPDATE`;

interface Locked extends Record<string, unknown> { readonly grp: string; readonly key: string; readonly revision: number; readonly live: boolean }

/** A write and its key as it is for the rest of the transaction. */
interface Held {
  readonly write: StateCommitWrite;
  readonly group: string;
  readonly key: string;
  readonly is: Locked;
}

/** Compares and writes keys within a transaction. Gives one that has another revision than it should; then nothing may be committed. */
export async function writeState(within: Queries, store: PgStore, writes: readonly StateCommitWrite[]): Promise<StateCommitWrite | undefined> {
  const now = store.time.now();
  const held = await hold(within, now, writes);
  const other = held.find(({ write: { ifRevision }, is }) => ifRevision !== undefined && (is.live ? is.revision : 0) !== ifRevision);
  if (other) return other.write;
  const changing = held.filter(({ write: { decision }, is }) => decision.action === 'set' || (decision.action === 'delete' && is.live));
  if (changing.length === 0) return undefined;
  const rows = await within.rows<{ ok: boolean }>(WRITE, [now, now + DELETED_REVISION_MS, ...columnsOf(changing, store)], 'state.write');
  return changing.find((_one, index) => rows[index]?.ok !== true)?.write;
}

async function hold(within: Queries, now: number, writes: readonly StateCommitWrite[]): Promise<readonly Held[]> {
  const places = writes.map(placeOf);
  const names = [places.map(({ group }) => group), places.map(({ key }) => key)];
  await within.rows(HOLD, [...names, now + DELETED_REVISION_MS], 'state.hold');
  const locked = new Map((await within.rows<Locked>(LOCK, [...names, now], 'state.lock')).map((row) => [JSON.stringify([row.grp, row.key]), row]));
  return places.map(({ group, key }, index) => ({
    write: writes[index] as StateCommitWrite, group, key, is: locked.get(JSON.stringify([group, key])) ?? { grp: group, key, revision: -1, live: true },
  }));
}

function columnsOf(changing: readonly Held[], { time }: PgStore): unknown[][] {
  const decisions = changing.map(({ write }) => write.decision);
  return [
    changing.map(({ group }) => group), changing.map(({ key }) => key), changing.map(() => 0), changing.map(({ is }) => is.revision),
    changing.map(({ is }) => is.live), decisions.map((made) => (made.action === 'set' ? made.text ?? JSON.stringify(made.value) : null)),
    decisions.map((made) => (made.action === 'set' && made.expiresAt !== undefined ? time.toStore(made.expiresAt) : null)),
    decisions.map((made) => made.action === 'set' && made.keepExpiry === true), changing.map(({ write }) => write.change !== undefined),
    changing.map(({ write }) => write.change?.origin ?? null),
  ];
}

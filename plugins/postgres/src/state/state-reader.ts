import { decodeKey, encodeKey, type Json, type PendingChange, type StateGroupPage, type StateListOptions, type StatePage } from '@treadle/api';
import { decodeCursor, distinctNames, encodeCursor, PAGE_CHARACTERS, PAST } from '../store/pages.js';
import type { PgStore } from '../store/pg-store.js';

export type PageOptions = Required<Pick<StateListOptions, 'limit'>> & StateListOptions;

const CODE = 'StateInvalidArgument';
const PAGE = `SELECT key, value, revision FROM (
    SELECT p.*, sum(length(value)) OVER (ORDER BY key) - length(value) AS before FROM (
      SELECT key, value, revision FROM state_entries
        WHERE grp = $1 AND ($2::text IS NULL OR key > $2) AND key >= $3 AND key <= $4 AND left(key, length($3)) = $3
          AND value IS NOT NULL AND (due_at IS NULL OR due_at > $5)
        ORDER BY key LIMIT $6) p) q
  WHERE before <= ${PAGE_CHARACTERS} ORDER BY key`;
const GROUPS = distinctNames('state_entries', 'grp', 'value IS NOT NULL AND (due_at IS NULL OR due_at > $5)');
const KEYS = `SELECT key, revision FROM state_entries
  WHERE grp = $1 AND ($2::text IS NULL OR key > $2) AND value IS NOT NULL AND (due_at IS NULL OR due_at > $3) ORDER BY key LIMIT $4`;
const CHANGES = `SELECT * FROM (
    SELECT c.*, sum(coalesce(length(old_value), 0) + coalesce(length(new_value), 0)) OVER (ORDER BY id) AS size FROM (
      SELECT * FROM state_changes WHERE id > coalesce((SELECT id FROM state_changes WHERE id = $2), 0) ORDER BY id LIMIT $1) c) q
  WHERE size - coalesce(length(old_value), 0) - coalesce(length(new_value), 0) <= ${PAGE_CHARACTERS} ORDER BY id`;
const ID = /^[1-9]\d{0,14}$/;

interface ChangeRow extends Record<string, unknown> {
  readonly id: number; readonly grp: string; readonly key: string; readonly old_value: string | null; readonly new_value: string | null;
  readonly revision: number; readonly origin: string | null;
}

/** Reads what is committed. */
export class StateReader {
  constructor(private readonly store: PgStore) {}

  /** @throws an `OperationError` `StateInvalidArgument` for a cursor that no page gave; `listGroups` too */
  async list(group: string, { prefix = '', limit, cursor }: PageOptions): Promise<StatePage> {
    const { connections, time } = this.store;
    const after = cursor === undefined ? null : decodeCursor(cursor, CODE);
    const from = encodeKey(prefix);
    const rows = await connections.rows<{ key: string; value: string; revision: number }>(
      PAGE, [encodeKey(group), after, from, from + PAST, time.now(), limit + 1], 'state.page');
    const taken = rows.slice(0, limit);
    const items = taken.map(({ key, value, revision }) => ({ key: decodeKey(key), value: JSON.parse(value) as Json, revision }));
    const weight = rows.reduce((sum, { value }) => sum + value.length, 0);
    const last = taken.at(-1);
    return last && (rows.length > limit || weight > PAGE_CHARACTERS) ? { items, cursor: encodeCursor(last.key) } : { items };
  }

  async listGroups({ prefix = '', limit, cursor }: PageOptions): Promise<StateGroupPage> {
    const { connections, time } = this.store;
    const after = cursor === undefined ? null : decodeCursor(cursor, CODE);
    const from = encodeKey(prefix);
    const rows = await connections.rows<{ name: string }>(GROUPS, [after, from, from + PAST, limit + 1, time.now()], 'state.groups');
    const names = rows.map(({ name }) => name);
    const items = names.slice(0, limit).map(decodeKey);
    return names.length > limit ? { items, cursor: encodeCursor(names[limit - 1] ?? '') } : { items };
  }

  /** Live keys after one, with their revisions. Group and key in the database's form. */
  async keys(group: string, after: string | undefined, limit: number): Promise<readonly { readonly key: string; readonly revision: number }[]> {
    const { connections, time } = this.store;
    return connections.rows<{ key: string; revision: number }>(KEYS, [group, after ?? null, time.now(), limit], 'state.keys');
  }

  async pendingChanges(limit: number, after?: string): Promise<readonly PendingChange[]> {
    const rows = await this.store.connections.rows<ChangeRow>(CHANGES, [limit, after !== undefined && ID.test(after) ? after : 0], 'state.changes');
    return rows.map(changeOf);
  }

  async settleChanges(ids: readonly string[]): Promise<void> {
    await this.store.connections.rows('DELETE FROM state_changes WHERE id = ANY ($1::bigint[])', [ids.filter((id) => ID.test(id))], 'state.settle');
  }
}

function changeOf({ id, grp, key, old_value: old, new_value: now, revision, origin }: ChangeRow): PendingChange {
  const parsed = (text: string | null): Json | undefined => (text === null ? undefined : JSON.parse(text) as Json);
  return {
    id: String(id), group: decodeKey(grp), key: decodeKey(key), revision, oldText: old ?? undefined, newText: now ?? undefined,
    get oldValue(): Json | undefined {
      return parsed(old);
    },
    get newValue(): Json | undefined {
      return parsed(now);
    },
    bytes: (old?.length ?? 0) + (now?.length ?? 0), ...origin !== null && { origin },
  };
}

import {
  decodeKey, encodeKey, type Json, OperationError, type PendingChange, type StateGroupPage, type StateItem, type StateListOptions, type StatePage,
} from '@treadle/api';
import type { Connection, SqlRow } from '../driver/driver.js';
import { decodeCursor, encodeCursor, END, namePage } from '../store/name-page.js';
import type { CachedEntry } from './entry-cache.js';
import { isLeftOut, smallOnly, weighed, withinWeight } from '../store/weighed-rows.js';

const LIVE = 'value IS NOT NULL AND (due_at IS NULL OR due_at > ?)';
/** The group's floor stands in for an entry that is not there; the first row that is found counts. */
const ENTRY = `SELECT value, revision, due_at FROM state_entries WHERE grp = ? AND key = ?
  UNION ALL SELECT NULL, revision, NULL FROM state_floors WHERE grp = ? LIMIT 1`;
const PAGE = `SELECT key, ${smallOnly('value')}, revision FROM state_entries
  WHERE grp = ? AND key >= ? AND key < ? || ${END} AND key > ? AND ${LIVE} ORDER BY key LIMIT ?`;
const FIRST_PAGE = PAGE.replace('AND key > ? ', '');
const KEYS = `SELECT key FROM state_entries WHERE grp = ? AND key > ? AND ${LIVE} ORDER BY key LIMIT ?`;
const FIRST_KEYS = KEYS.replace('AND key > ? ', '');
const NEXT_GROUP = `SELECT grp FROM state_entries WHERE grp > ? AND grp >= ? AND grp < ? || ${END} AND ${LIVE} ORDER BY grp LIMIT 1`;
const FIRST_GROUP = NEXT_GROUP.replace('grp > ? AND ', '');
const CHANGES = `SELECT id, grp, key, ${weighed('old_value', 'new_value')}, revision, origin FROM state_changes
  WHERE seq > COALESCE((SELECT seq FROM state_changes WHERE id = ?), 0) ORDER BY seq LIMIT ?`;

/** Options of a page with their defaults filled in. */
export type PageOptions = Required<Pick<StateListOptions, 'limit'>> & StateListOptions;

/** Reads what is committed. */
export class StateReader {
  private readonly entryOf;
  private readonly page;
  private readonly firstPage;
  private readonly keysAfter;
  private readonly firstKeys;
  private readonly nextGroup;
  private readonly firstGroup;
  private readonly changes;
  private readonly oldValue;
  private readonly newValue;

  constructor(connection: Connection) {
    this.entryOf = connection.prepare(ENTRY);
    this.page = connection.prepare(PAGE);
    this.firstPage = connection.prepare(FIRST_PAGE);
    this.keysAfter = connection.prepare(KEYS);
    this.firstKeys = connection.prepare(FIRST_KEYS);
    this.nextGroup = connection.prepare(NEXT_GROUP);
    this.firstGroup = connection.prepare(FIRST_GROUP);
    this.changes = connection.prepare(CHANGES);
    this.oldValue = connection.prepare('SELECT old_value AS value FROM state_changes WHERE id = ?');
    this.newValue = connection.prepare('SELECT new_value AS value FROM state_changes WHERE id = ?');
  }

  /** Group and key in the database's form. */
  entry(group: string, key: string): CachedEntry {
    const { value = null, revision = 0, due_at: due = null } = this.entryOf.get(group, key, group) ?? {};
    return { text: value as string | null, revision: Number(revision), dueAt: due === null ? null : Number(due) };
  }

  /** Ends early, with a cursor, where values are large. @throws an `OperationError` `StateInvalidArgument` for a cursor that no page gave; `listGroups` too */
  list(group: string, { prefix = '', limit, cursor }: PageOptions, now: number): StatePage {
    checkCursor(cursor);
    const [of, from] = [encodeKey(group), encodeKey(prefix)];
    const found = cursor === undefined ? this.firstPage.all(of, from, from, now, limit + 1)
      : this.page.all(of, from, from, decodeCursor(cursor), now, limit + 1);
    const { rows, more } = withinWeight(found, limit + 1, 'value', ({ key = null }) => this.entryOf.get(of, key, of)?.['value']);
    const taken = rows.slice(0, limit);
    const items = taken.map(itemOf);
    return more ? { items, cursor: encodeCursor(String(taken.at(-1)?.['key'])) } : { items };
  }

  /** Keys alone, in order, after the one given. */
  keys(group: string, after: string | undefined, { now, limit }: { now: number; limit: number }): readonly string[] {
    const of = encodeKey(group);
    const rows = after === undefined ? this.firstKeys.all(of, now, limit) : this.keysAfter.all(of, encodeKey(after), now, limit);
    return rows.map((row) => decodeKey(String(row['key'])));
  }

  /** Hops from group to group, so that the number of keys does not matter. */
  listGroups({ prefix = '', ...page }: PageOptions, now: number): StateGroupPage {
    checkCursor(page.cursor);
    const from = encodeKey(prefix);
    return namePage(page, (last) => (
      last === undefined ? this.firstGroup.get(from, from, now) : this.nextGroup.get(last, from, from, now))?.['grp']);
  }

  pendingChanges(limit: number, after?: string): readonly PendingChange[] {
    return this.changes.all(after ?? '', limit).map((row) => changeOf(row, (which) => {
      if (!isLeftOut(row)) return textOf(row[which]);
      return textOf((which === 'old_value' ? this.oldValue : this.newValue).get(row['id'] ?? null)?.['value']);
    }));
  }
}

/** A text that came another way stands for some other place. */
function checkCursor(cursor: string | undefined): void {
  if (cursor === undefined || encodeCursor(decodeCursor(cursor)) === cursor) return;
  throw new OperationError('StateInvalidArgument', 'cursor must be one that a former page gave');
}

function itemOf(row: SqlRow): StateItem {
  return { key: decodeKey(String(row['key'])), value: JSON.parse(String(row['value'])) as Json, revision: Number(row['revision']) };
}

/** Large values are read each time that somebody asks for them. */
function changeOf(row: SqlRow, text: (which: 'old_value' | 'new_value') => string | undefined): PendingChange {
  return {
    id: String(row['id']), group: decodeKey(String(row['grp'])), key: decodeKey(String(row['key'])), revision: Number(row['revision']), bytes: Number(row['bytes']),
    get oldText(): string | undefined {
      return text('old_value');
    },
    get newText(): string | undefined {
      return text('new_value');
    },
    get oldValue(): Json | undefined {
      return valueOf(this.oldText);
    },
    get newValue(): Json | undefined {
      return valueOf(this.newText);
    },
    ...typeof row['origin'] === 'string' ? { origin: row['origin'] } : {},
  };
}

const textOf = (column: unknown): string | undefined => (typeof column === 'string' ? column : undefined);

const valueOf = (text: string | undefined): Json | undefined => (text === undefined ? undefined : JSON.parse(text) as Json);

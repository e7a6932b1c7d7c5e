import { decodeKey, encodeKey, type Json, type PendingStreamChange, type StateGroupPage, type StateListOptions } from '@treadle/api';
import type { Connection, SqlRow } from '../driver/driver.js';
import { END, namePage } from '../store/name-page.js';
import { isLeftOut, weighed } from '../store/weighed-rows.js';

/** An item as it is stored. */
export interface StoredItem {
  /** JSON; null once it is deleted. */
  readonly text: string | null;
  readonly revision: number;
  /** Orders items by their creation. */
  readonly ord: number;
}

/** How far a group has come. */
export interface GroupRow {
  readonly seq: number;
  readonly floor: number;
}

type PageOptions = StateListOptions & { readonly limit: number };

const ITEMS = 'SELECT item, value, revision, ord FROM stream_items WHERE stream = ? AND grp = ? ORDER BY ord';
const NEXT_GROUP = `SELECT grp FROM stream_items WHERE stream = ? AND grp > ? AND grp >= ? AND grp < ? || ${END} ORDER BY grp LIMIT 1`;
const CHANGES = `SELECT id, stream, grp, item, kind, ${weighed('data')}, origin FROM stream_changes
  WHERE seq > COALESCE((SELECT seq FROM stream_changes WHERE id = ?), 0) ORDER BY seq LIMIT ?`;

/** Reads what is committed. Names are in the database's form, except for pages and changes. */
export class StreamReader {
  private readonly itemOf;
  private readonly itemsOf;
  private readonly groupOf;
  private readonly storeRow;
  private readonly highestOrd;
  private readonly nextGroup;
  private readonly firstGroup;
  private readonly changes;
  private readonly change;

  constructor(connection: Connection) {
    this.itemOf = connection.prepare('SELECT value, revision, ord FROM stream_items WHERE stream = ? AND grp = ? AND item = ?');
    this.itemsOf = connection.prepare(ITEMS);
    this.groupOf = connection.prepare('SELECT seq, floor FROM stream_groups WHERE stream = ? AND grp = ?');
    this.storeRow = connection.prepare('SELECT epoch, floor FROM stream_store');
    this.highestOrd = connection.prepare('SELECT max(ord) AS high FROM stream_items');
    this.nextGroup = connection.prepare(NEXT_GROUP);
    this.firstGroup = connection.prepare(NEXT_GROUP.replace('AND grp > ? ', ''));
    this.changes = connection.prepare(CHANGES);
    this.change = connection.prepare('SELECT data FROM stream_changes WHERE id = ?');
  }

  item(stream: string, group: string, item: string): StoredItem | undefined {
    const row = this.itemOf.get(stream, group, item);
    return row && storedOf(row);
  }

  items(stream: string, group: string): Map<string, StoredItem> {
    return new Map(this.itemsOf.all(stream, group).map((row) => [String(row['item']), storedOf(row)]));
  }

  /** A group that is not known begins where the forgotten ones ended. */
  group(stream: string, group: string): GroupRow {
    const row = this.groupOf.get(stream, group);
    if (row) return { seq: Number(row['seq']), floor: Number(row['floor']) };
    const floor = Number(this.storeRow.get()?.['floor'] ?? 0);
    return { seq: floor, floor };
  }

  /** Of a former run that could keep it. */
  epoch(): string | undefined {
    const epoch = this.storeRow.get()?.['epoch'];
    return typeof epoch === 'string' ? epoch : undefined;
  }

  lastOrd(): number {
    return Number(this.highestOrd.get()?.['high'] ?? 0);
  }

  /** Hops from group to group, so that the number of items does not matter. */
  listGroups(stream: string, { prefix = '', ...page }: PageOptions): StateGroupPage {
    const [of, from] = [encodeKey(stream), encodeKey(prefix)];
    return namePage(page, (last) => (
      last === undefined ? this.firstGroup.get(of, from, from) : this.nextGroup.get(of, last, from, from))?.['grp']);
  }

  pendingChanges(limit: number, after?: string): readonly PendingStreamChange[] {
    return this.changes.all(after ?? '', limit).map((row) => changeOf(row, () => this.change.get(row['id'] ?? null) ?? {}));
  }
}

/** A large item is read each time that somebody asks for it, with `load`. */
function changeOf(row: SqlRow, load: () => SqlRow): PendingStreamChange {
  const item = isLeftOut(row) ? load : (): SqlRow => row;
  return {
    id: String(row['id']), stream: decodeKey(String(row['stream'])), groupId: decodeKey(String(row['grp'])), itemId: decodeKey(String(row['item'])),
    type: row['kind'] as PendingStreamChange['type'], origin: String(row['origin']), bytes: Number(row['bytes']),
    get text(): string {
      return String(item()['data']);
    },
    get data(): Json {
      return JSON.parse(this.text as string) as Json;
    },
  };
}

function storedOf(row: SqlRow): StoredItem {
  return { text: String(row['value']), revision: Number(row['revision']), ord: Number(row['ord']) };
}

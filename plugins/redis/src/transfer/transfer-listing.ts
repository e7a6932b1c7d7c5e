import type { TransferKind, TransferPage, TransferPageOptions, TransferRow } from '@treadle/api';
import type { Arg } from '../store/connection.js';
import type { Script } from '../store/script.js';
import type { CopiedPrefix } from './copied-prefix.js';

/** Rows that are read at once, and characters of rows after which a page ends. */
const PORTION = 16;
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** Rows of a place, and where it goes on; absent: nothing is behind them. */
export interface Portion {
  readonly rows: readonly TransferRow[];
  readonly next?: string | undefined;
}

/** How rows of a kind lie in the store: in places one after the other, each of which is read portion by portion. */
export interface TransferListing extends TransferKind {
  /** In one order. */
  places(store: CopiedPrefix): Promise<readonly string[]>;
  count(store: CopiedPrefix, place: string): Promise<number>;
  /** `from`: as a portion before gave it; '' at the beginning. At most `count` rows. */
  read(store: CopiedPrefix, place: string, from: string, count: number): Promise<Portion>;
  /** Adds rows whose columns are `columnsOf`. */
  readonly write: Script;
  columnsOf(row: TransferRow): readonly Arg[];
}

/** Reads pages of a kind. What names its places is read once, until the copy itself writes: nobody else uses the store. */
export class ListedRows {
  private known: Promise<readonly string[]> | undefined;

  constructor(private readonly store: CopiedPrefix, private readonly listing: TransferListing) {}

  async count(): Promise<number> {
    let sum = 0;
    for (const place of await this.places()) sum += await this.listing.count(this.store, place);
    return sum;
  }

  async page({ limit, after }: TransferPageOptions): Promise<TransferPage> {
    const places = await this.places();
    let [place, from = ''] = (after === undefined ? [places[0]] : JSON.parse(after)) as readonly [string | undefined, string?];
    const rows: TransferRow[] = [];
    for (let characters = 0; place !== undefined && rows.length < limit && characters < MOST_CHARACTERS;) {
      const found: Portion = await this.listing.read(this.store, place, from, Math.min(PORTION, limit - rows.length));
      rows.push(...found.rows.map(withoutGaps));
      characters += found.rows.reduce((sum, row) => sum + Object.values(row).reduce<number>((all, value) => all + String(value).length, 0), 0);
      if (found.next === undefined) place = places[places.indexOf(place) + 1];
      from = found.next ?? '';
    }
    return place === undefined ? { rows } : { rows, cursor: JSON.stringify([place, from]) };
  }

  /** Rows were written. */
  forget(): void {
    this.known = undefined;
  }

  private places(): Promise<readonly string[]> {
    return this.known ??= this.listing.places(this.store);
  }
}

/** A member without a value is absent. */
function withoutGaps(row: TransferRow): TransferRow {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));
}

/** A portion of a sorted set. `read` gets members, scores in turn. */
export async function ranked(
  store: CopiedPrefix, key: string, { from, count }: { readonly from: string; readonly count: number }, read: (pairs: readonly Ranked[]) => Promise<readonly TransferRow[]>,
): Promise<Portion> {
  const first = Number(from);
  const flat = await store.ask<readonly string[]>('ZRANGE', key, first, first + count - 1, 'WITHSCORES');
  const pairs = Array.from({ length: flat.length / 2 }, (_, index) => ({ name: flat[2 * index] ?? '', score: Number(flat[2 * index + 1]) }));
  return { rows: await read(pairs), next: pairs.length === count ? String(first + count) : undefined };
}

/** A member of a sorted set. */
export interface Ranked {
  readonly name: string;
  readonly score: number;
}

/** Fields of a hash, in their order; null where there is none. */
export async function fieldsOf(store: CopiedPrefix, key: string, names: readonly string[]): Promise<readonly (string | null)[]> {
  return names.length === 0 ? [] : store.ask('HMGET', key, ...names);
}

/** A portion of a Redis stream of changes: `row` gets the id, the fields and a number that rises. */
export async function changes(
  store: CopiedPrefix, key: string, { from, count }: { readonly from: string; readonly count: number },
  row: (id: string, fields: ReadonlyMap<string, string>, order: number) => TransferRow,
): Promise<Portion> {
  const [after = '', number = '0'] = from.split(' ');
  const found = await store.ask<readonly (readonly [string, readonly string[]])[]>('XRANGE', key, after === '' ? '-' : `(${after}`, '+', 'COUNT', count);
  const rows = found.map(([id, texts], index) => {
    const fields = new Map(texts.flatMap((text, at) => (at % 2 === 0 ? [[text, texts[at + 1] ?? ''] as const] : [])));
    return row(id, fields, Number(number) + index + 1);
  });
  return { rows, next: found.length === count ? `${found.at(-1)?.[0] ?? ''} ${Number(number) + count}` : undefined };
}

/** A place of its own for each thing, for what has no order in the store. */
export const ONE = { count: (): Promise<number> => Promise.resolve(1) };

/** What a copy does to a change whose id was another store's. */
export const SAME_CHANGE = 'a change that waits gets another id: where its engine ended right after it had handed it to the queue, its trigger may run twice';

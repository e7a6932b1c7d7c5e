import {
  OperationError, type StoreTransfer, type TransferContext, type TransferImport, type TransferKind, type TransferMark, type TransferPage, type TransferPageOptions,
  type TransferSide,
} from '@treadle/api';
import type { Arg } from '../store/connection.js';
import type { Script } from '../store/script.js';
import type { RedisConfig } from '../store/store.config.js';
import { CopiedPrefix } from './copied-prefix.js';
import { MARK } from './copy-scripts.js';
import { ListedRows, type TransferListing } from './transfer-listing.js';

/** What a slot keeps. */
export interface TransferSlot {
  readonly slot: string;
  readonly listings: readonly TransferListing[];
  /** Puts the keys in order when all rows are there; as `MARK`. */
  readonly finish: Script;
}

/** What one slot keeps under a prefix, opened to be copied. */
export class RedisTransfer implements StoreTransfer {
  private readonly rows: ReadonlyMap<string, ListedRows>;

  private constructor(private readonly prefix: CopiedPrefix, private readonly of: TransferSlot) {
    this.rows = new Map(of.listings.map((listing) => [listing.name, new ListedRows(prefix, listing)]));
  }

  /** @throws {STORE_IN_USE} when engines use the prefix, or another copy; {SERVICE_UNAVAILABLE} */
  static async open(context: TransferContext, config: RedisConfig, of: TransferSlot): Promise<StoreTransfer> {
    return new RedisTransfer(await CopiedPrefix.shared(context, config), of);
  }

  get store(): string {
    return this.prefix.name;
  }

  get kinds(): readonly TransferKind[] {
    return this.of.listings.map(({ name, note }) => ({ name, ...note !== undefined && { note } }));
  }

  async count(kind: string): Promise<number> {
    return this.listed(kind).count();
  }

  async exportRows(kind: string, page: TransferPageOptions): Promise<TransferPage> {
    return this.listed(kind).page(page);
  }

  async importRows({ kind, rows, mark }: TransferImport): Promise<void> {
    const listing = this.of.listings.find(({ name }) => name === kind);
    if (!listing) throw this.unknown(kind);
    await this.prefix.write(listing.write, [...this.markArgs('to', mark), ...rows.flatMap((row) => listing.columnsOf(row))]);
    for (const listed of this.rows.values()) listed.forget();
  }

  async finish(mark: TransferMark): Promise<void> {
    await this.prefix.write(this.of.finish, this.markArgs('to', mark));
  }

  async mark(side: TransferSide): Promise<TransferMark | undefined> {
    const text = await this.prefix.ask<string | null>('HGET', 'copies', `${this.of.slot} ${side}`);
    return text === null ? undefined : { text: text.slice(1), complete: text.startsWith('1') };
  }

  async setMark(side: TransferSide, mark: TransferMark): Promise<void> {
    await this.prefix.write(MARK, this.markArgs(side, mark));
  }

  private markArgs(side: TransferSide, { text, complete }: TransferMark): readonly Arg[] {
    return [this.of.slot, side, complete ? 1 : 0, text];
  }

  private listed(kind: string): ListedRows {
    const found = this.rows.get(kind);
    if (!found) throw this.unknown(kind);
    return found;
  }

  private unknown(kind: string): Error {
    return new OperationError('StorageRefused', `the ${this.of.slot} store has no rows of the kind "${kind}"`);
  }
}

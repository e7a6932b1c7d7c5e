import {
  OperationError, type StoreTransfer, type TransferImport, type TransferKind, type TransferMark, type TransferPage, type TransferPageOptions, type TransferRow,
  type TransferSide,
} from '@treadle/api';
import type { KvDriver, Row } from '../driver/kv-driver.js';
import { decode, encode } from '../key-encoding.js';
import { markRow, readMark } from './copy-marks.js';

/** Rows that are written in one statement. */
const MOST_ROWS = 300;

/** How rows of a kind lie in the store. */
export interface KvKind extends TransferKind {
  count(driver: KvDriver): Promise<number>;
  page(driver: KvDriver, options: TransferPageOptions): Promise<TransferPage>;
  /** What is to be stored for a row. */
  rowsOf(row: TransferRow): readonly Row[];
  /** Several rows may have the same key, also one that is stored already: the highest number is kept. Default: false. */
  readonly highest?: boolean;
}

/** What a slot keeps. */
export interface KvSlot {
  readonly slot: string;
  readonly kinds: readonly KvKind[];
}

/** What one slot keeps in the file, opened to be copied. Rows of one call may be stored in several commits; what came before is overwritten with the same. */
export class KvTransfer implements StoreTransfer {
  readonly store: string;

  constructor(private readonly driver: KvDriver, file: string, private readonly of: KvSlot) {
    this.store = `KvStore ${file}`;
  }

  get kinds(): readonly TransferKind[] {
    return this.of.kinds;
  }

  count(kind: string): Promise<number> {
    return this.kind(kind).count(this.driver);
  }

  exportRows(kind: string, options: TransferPageOptions): Promise<TransferPage> {
    return this.kind(kind).page(this.driver, options);
  }

  async importRows({ kind, rows, mark }: TransferImport): Promise<void> {
    const to = this.kind(kind);
    const made = rows.flatMap((row) => to.rowsOf(row));
    const all = to.highest === true ? await highestOf(made, this.driver) : made;
    while (all.length > MOST_ROWS) await this.driver.put(all.splice(0, MOST_ROWS));
    await this.driver.put([...all, markRow(this.of.slot, 'to', mark)]);
  }

  async finish(mark: TransferMark): Promise<void> {
    await this.setMark('to', mark);
  }

  mark(side: TransferSide): Promise<TransferMark | undefined> {
    return readMark(this.driver, this.of.slot, side);
  }

  async setMark(side: TransferSide, mark: TransferMark): Promise<void> {
    await this.driver.put([markRow(this.of.slot, side, mark)]);
  }

  private kind(kind: string): KvKind {
    const found = this.of.kinds.find(({ name }) => name === kind);
    if (!found) throw new OperationError('StorageRefused', `the ${this.of.slot} store has no rows of the kind "${kind}"`);
    return found;
  }
}

/** One row for each key, with the highest number of those and of what is stored. */
async function highestOf(rows: readonly Row[], driver: KvDriver): Promise<Row[]> {
  const highest = new Map<string, number>();
  for (const [key, value] of rows) highest.set(key, Math.max(highest.get(key) ?? Number(await driver.get(key) ?? 0), Number(value)));
  return [...highest];
}

/** A name that comes back as it is. @throws an `OperationError` for half a surrogate pair, which this store would change */
export function kept(name: string): string {
  if (decode(encode(name)) === name) return name;
  throw new OperationError('StorageRefused', `${JSON.stringify(name)} cannot be kept: KvStore has no names with half a surrogate pair; rename it in the source`);
}

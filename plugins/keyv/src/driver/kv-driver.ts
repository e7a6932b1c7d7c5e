import type { ModuleContext } from '@treadle/api';

/** A row: its key is ASCII text, its value anything that JSON can hold. */
export type Row = readonly [key: string, value: unknown];

export interface RowRange {
  /** First key that belongs to it. */
  readonly from: string;
  /** First key that does not belong to it any more. */
  readonly to: string;
  readonly limit: number;
}

/** What an adapter hears of the disk below its store. */
export type DriverUser = Pick<ModuleContext, 'report' | 'fatal'>;

/** What the adapters need of keyv. Values come back as fresh objects; errors are thrown, never swallowed. */
export interface KvDriver {
  /** Tells an adapter of a full and of a failing disk, until it calls what is returned. */
  join(user: DriverUser): () => void;
  get(key: string): Promise<unknown>;
  /** Writes all rows or none, in this order; resolves when they are durable under the store's promise. */
  put(rows: readonly Row[]): Promise<void>;
  remove(keys: readonly string[]): Promise<void>;
  /** Rows in ascending order of their keys. */
  range(range: RowRange): Promise<readonly Row[]>;
  close(): Promise<void>;
}

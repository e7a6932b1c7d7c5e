import type { Connection, SqlValue } from '../driver/driver.js';

/** Plain data, so that it can travel to the writer thread. */
export type Row = readonly SqlValue[];

/** A change of the store: the name of an operation and what it works on. */
export interface WriteRequest {
  /** e.g. `state.put`. */
  readonly operation: string;
  readonly rows: readonly Row[];
  /** In the place of an operation: all of these or none, in this order. What comes back is a list of what each returns. */
  readonly parts?: readonly WriteRequest[] | undefined;
}

/** The operation of a request that has parts; it frees no space. */
export const TOGETHER = 'store.together';

/**
 * Carries out a request inside the group's transaction; what it returns goes back to the caller, once the group is
 * durable, and must be plain data. There is no savepoint around it: an operation checks first and writes afterwards, so
 * that one which throws has changed nothing.
 */
export type Operation = (rows: readonly Row[]) => unknown;

/** The tables and operations of one building block in the store. */
export interface StoreArea {
  /** e.g. `state`; operations are named `<area>.<verb>`. */
  readonly name: string;
  /** SQL from version n to n + 1, in order. Only ever appended to; the number of entries is the area's version. */
  readonly migrations: readonly string[];
  /** Operations that free space, or small ones without which none is freed; tried alone when a group finds the disk full. */
  readonly freeing: ReadonlySet<string>;
  /** SQL that is run on a backup, for what must not be the same in two files. */
  readonly onCopy?: string;
  /** SQL that is run on what was saved of a store, some of whose rows may be older than others. */
  readonly onSalvage?: string;
  /** Prepares the statements on the connection that writes. */
  operations(connection: Connection): Readonly<Record<string, Operation>>;
}

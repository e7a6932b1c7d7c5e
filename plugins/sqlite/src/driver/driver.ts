/** What SQLite stores; booleans and dates are the caller's to convert. */
export type SqlValue = null | number | string | Uint8Array;

/** A row by column name. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** A compiled statement with positional parameters (`?`). All calls are synchronous. */
export interface Statement {
  /** Runs it and returns how many rows it changed. */
  run(...parameters: readonly SqlValue[]): number;
  /** As `run`, for long lists of parameters. */
  runList(parameters: readonly SqlValue[]): number;
  get(...parameters: readonly SqlValue[]): SqlRow | undefined;
  all(...parameters: readonly SqlValue[]): readonly SqlRow[];
}

/** One open connection to a database file. */
export interface Connection {
  readonly driver: DriverName;
  /** Runs statements without parameters, separated by `;`. */
  exec(sql: string): void;
  prepare(sql: string): Statement;
  /** Idempotent. */
  close(): void;
}

export type DriverName = 'node:sqlite' | 'better-sqlite3' | 'libsql';

/** A library that opens SQLite databases. */
export interface Driver {
  readonly name: DriverName;
  /** Version of SQLite inside. */
  readonly sqlite: string;
  /** Opens or creates; `:memory:` for a database of this connection alone. Throws what the library throws. */
  open(file: string): Connection;
}

/** Its connections live on until their statements have been collected, whatever `close` says. */
export function closesLate(name: DriverName): boolean {
  return name === 'libsql';
}

import type { Connection, DriverName, SqlRow, SqlValue, Statement } from './driver.js';

/** The part of a library's statement that the three have in common. */
export interface LibraryStatement {
  run(...parameters: unknown[]): { changes: number | bigint };
  get(...parameters: unknown[]): unknown;
  all(...parameters: unknown[]): unknown[];
}

/** The part of a library's database that the three have in common. */
export interface LibraryDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): LibraryStatement;
  close(): unknown;
}

/** How a library takes positional parameters: one by one, or as one array. */
export type ParameterStyle = 'spread' | 'array';

/** Puts a library's database behind the port. */
export class LibraryConnection implements Connection {
  private open = true;

  constructor(readonly driver: DriverName, private readonly database: LibraryDatabase, private readonly style: ParameterStyle) {}

  exec(sql: string): void {
    this.database.exec(sql);
  }

  prepare(sql: string): Statement {
    const statement = this.database.prepare(sql);
    return this.style === 'array' ? arrayStatement(statement) : spreadStatement(statement);
  }

  close(): void {
    if (!this.open) return;
    this.open = false;
    this.database.close();
  }
}

/** libsql takes a lone `null` for the whole list, so the list is always passed as an array. */
function arrayStatement(statement: LibraryStatement): Statement {
  return {
    run: (...parameters: readonly SqlValue[]) => Number(statement.run(parameters).changes),
    runList: (parameters) => Number(statement.run(parameters).changes),
    get: (...parameters) => (statement.get(parameters) ?? undefined) as SqlRow | undefined,
    all: (...parameters) => statement.all(parameters) as SqlRow[],
  };
}

function spreadStatement(statement: LibraryStatement): Statement {
  return {
    run: (...parameters: readonly SqlValue[]) => Number(statement.run(...parameters).changes),
    runList: (parameters) => Number(statement.run(...parameters).changes),
    get: (...parameters) => (statement.get(...parameters) ?? undefined) as SqlRow | undefined,
    all: (...parameters) => statement.all(...parameters) as SqlRow[],
  };
}

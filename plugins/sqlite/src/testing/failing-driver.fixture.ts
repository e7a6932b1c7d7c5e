import type { Connection, Driver } from '../driver/driver.js';

/** A driver one of whose statements fails on demand, on connections of this thread. */
export interface FailingDriver {
  readonly driver: Driver;
  /** Lets the statement fail with a code of SQLite from now on; none: lets nothing fail. */
  fail(statement?: string, code?: string): void;
  failOnce(statement: string, code: string): void;
}

/** @throws an `Error` when there is no driver */
export function failingDriver(real: Driver | undefined): FailingDriver {
  if (!real) throw new Error('no driver');
  let failing: { readonly statement: string; readonly code: string; readonly once: boolean } | undefined;
  const failIfAsked = (sql: string): void => {
    if (!failing || sql !== failing.statement) return;
    const { code } = failing;
    if (failing.once) failing = undefined;
    throw Object.assign(new Error('made to fail'), { code });
  };
  return {
    driver: { ...real, open: (file) => failingConnection(real.open(file), failIfAsked) },
    fail: (statement, code = '') => void (failing = statement === undefined ? undefined : { statement, code, once: false }),
    failOnce: (statement, code) => void (failing = { statement, code, once: true }),
  };
}

function failingConnection(connection: Connection, check: (sql: string) => void): Connection {
  return {
    driver: connection.driver,
    exec: (sql) => {
      check(sql);
      connection.exec(sql);
    },
    prepare: (sql) => {
      check(sql);
      return connection.prepare(sql);
    },
    close: () => connection.close(),
  };
}

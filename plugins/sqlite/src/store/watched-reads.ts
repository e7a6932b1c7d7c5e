import { treadleError, type TreadleError } from '@treadle/api';
import type { Connection, Statement } from '../driver/driver.js';
import { endsTrust, faultOf, type StorageFault } from '../driver/storage-fault.js';

/**
 * A connection whose statements tell of faults of the disk before they throw them: who reads damage is not the only one who
 * has to know.
 */
export function watchReads(connection: Connection, file: string, told: (fault: StorageFault) => void): Connection {
  const guard = <T>(act: () => T): T => {
    try {
      return act();
    } catch (error) {
      const fault = faultOf(error);
      if (!endsTrust(fault)) throw error;
      told(fault);
      throw storeError(file, fault);
    }
  };
  return {
    driver: connection.driver,
    exec: (sql) => guard(() => connection.exec(sql)),
    prepare: (sql) => watchStatement(guard(() => connection.prepare(sql)), guard),
    close: () => connection.close(),
  };
}

function watchStatement(statement: Statement, guard: <T>(act: () => T) => T): Statement {
  return {
    run: (...parameters) => guard(() => statement.run(...parameters)),
    runList: (parameters) => guard(() => statement.runList(parameters)),
    get: (...parameters) => guard(() => statement.get(...parameters)),
    all: (...parameters) => guard(() => statement.all(...parameters)),
  };
}

/** What ends an engine whose disk failed or whose file is not sound. */
export function storeError(file: string, { kind, reason }: StorageFault): TreadleError {
  return treadleError(kind === 'corrupt' ? 'STORE_DAMAGED' : 'STORE_FAILED', { file, reason });
}

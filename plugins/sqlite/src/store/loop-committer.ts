import type { Connection } from '../driver/driver.js';
import type { StorageFault } from '../driver/storage-fault.js';
import type { Committer } from './committer.js';
import { type ExecutorPlace, GroupExecutor, type GroupRequest, type GroupResult } from './group-executor.js';
import type { StoreArea } from './store-area.js';
import { closeCleanly, tidy } from './tidy.js';

/** Pages of the log that are moved into the file at once: 2 MB, in some 10 ms. Large rows fill a log with pages of their own; all 16 MB of them took 60 to 180 ms. */
const MOST_PAGES = 500;
/** How long SQLite waits for another program's transaction, in milliseconds; nothing else runs meanwhile. */
const WAITS_MS = 10;

/** Commits on the event loop, with the connection that also reads. */
export class LoopCommitter implements Committer {
  readonly kind = 'loop';
  onEnd: ((fault: StorageFault) => void) | undefined;
  private readonly executor: GroupExecutor;

  constructor(private readonly connection: Connection, areas: readonly StoreArea[], private readonly place: ExecutorPlace = {}) {
    connection.exec(`PRAGMA busy_timeout = ${WAITS_MS}`);
    this.executor = new GroupExecutor(connection, areas, { ...place, mostPages: MOST_PAGES });
  }

  commit(requests: readonly GroupRequest[], done: (result: GroupResult) => void): void {
    done(this.executor.run(requests));
  }

  tidy(): void {
    this.endAfter(tidy(this.connection, this.place.files));
  }

  look(): void {
    this.endAfter(this.place.files?.look());
  }

  close(): Promise<void> {
    closeCleanly(this.connection, this.place.files);
    return Promise.resolve();
  }

  abandon(): void {
    // The connection ends with the process.
  }

  private endAfter(fault: StorageFault | undefined): void {
    if (fault) this.onEnd?.(fault);
  }
}

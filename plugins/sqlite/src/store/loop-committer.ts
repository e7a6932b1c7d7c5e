import { blocking } from '@treadle/api';
import type { Connection } from '../driver/driver.js';
import type { Committer } from './committer.js';
import type { DiskRoom } from './disk-room.js';
import { GroupExecutor, type GroupRequest, type GroupResult } from './group-executor.js';
import type { StoreArea } from './store-area.js';
import { closeCleanly, tidy } from './tidy.js';

/** Commits on the event loop, with the connection that also reads. */
export class LoopCommitter implements Committer {
  readonly kind = 'loop';
  onEnd: ((reason: string) => void) | undefined;
  private readonly executor: GroupExecutor;

  constructor(private readonly connection: Connection, areas: readonly StoreArea[], room?: DiskRoom) {
    this.executor = new GroupExecutor(connection, areas, room);
  }

  commit(requests: readonly GroupRequest[], done: (result: GroupResult) => void): void {
    blocking(() => done(this.executor.run(requests)));
  }

  tidy(): void {
    const fault = tidy(this.connection);
    if (fault) this.onEnd?.(fault.reason);
  }

  close(): Promise<void> {
    closeCleanly(this.connection);
    return Promise.resolve();
  }

  abandon(): void {
    // The connection ends with the process.
  }
}

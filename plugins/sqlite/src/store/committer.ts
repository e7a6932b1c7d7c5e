import type { StorageFault } from '../driver/storage-fault.js';
import type { GroupRequest, GroupResult } from './group-executor.js';

/** The one who commits groups; at most one group at a time. */
export interface Committer {
  /** `thread`: a thread of its own owns the connection that writes. `loop`: commits block the event loop. */
  readonly kind: 'thread' | 'loop';
  /** Set by the store: the writer has ended without being asked to, or its disk has failed; nothing more is to be committed. */
  onEnd: ((fault: StorageFault) => void) | undefined;
  /** Calls `done` once the group is durable or has failed; with `loop` before it returns. */
  commit(requests: readonly GroupRequest[], done: (result: GroupResult) => void): void;
  /** Gives pages that are no longer used back to the file system, a bounded number per call. */
  tidy(): void;
  /** Finds out what others did to the files; ends when they are not what they were. */
  look(): void;
  /** Closes the connection; what was committed before stays. */
  close(): Promise<void>;
  /** After an I/O error: leaves the file as it is. Closing would sync it again, and success then proves nothing. */
  abandon(): void;
}

import type { LockedFiles } from '../disk/store-files.js';
import type { DriverName } from '../driver/driver.js';
import type { StorageFault } from '../driver/storage-fault.js';
import type { GroupRequest, GroupResult } from './group-executor.js';
import type { Durability } from './open-connection.js';

/** What the writer thread is started with. */
export interface ThreadData {
  readonly driver: DriverName;
  readonly file: string;
  readonly durability: Durability;
  /** As the event loop has them: were the thread to close descriptors of its own, the process would lose its locks. */
  readonly locked: LockedFiles;
}

export type ToThread =
  | { readonly type: 'group'; readonly requests: readonly GroupRequest[] }
  | { readonly type: 'tidy' }
  | { readonly type: 'look' }
  | { readonly type: 'close' };

export type FromThread =
  | { readonly type: 'ready' }
  /** It could not open the file. */
  | { readonly type: 'refused'; readonly reason: string }
  /** The disk failed outside a group. */
  | { readonly type: 'broken'; readonly fault: StorageFault }
  | { readonly type: 'result'; readonly result: GroupResult };

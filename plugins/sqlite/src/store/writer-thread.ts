/** Program of the writer thread: owns the connection that writes and commits the groups that it is sent. */
import { parentPort, workerData } from 'node:worker_threads';
import { ThreadGarbage } from '@treadle/api';
import { StoreFiles } from '../disk/store-files.js';
import { driverNamed } from '../driver/choose-driver.js';
import type { Connection } from '../driver/driver.js';
import type { StorageFault } from '../driver/storage-fault.js';
import { AREAS } from './areas.js';
import { diskRoom } from './disk-room.js';
import { GroupExecutor } from './group-executor.js';
import { openConnection } from './open-connection.js';
import type { FromThread, ThreadData, ToThread } from './thread-messages.js';
import { closeCleanly, tidy } from './tidy.js';

const port = parentPort;
/** More than the young generation has, in which the rows of small values live and die. */
const MOST_GARBAGE = 16 * 2 ** 20;
const { driver: name, file, durability, locked } = workerData as ThreadData;

function say(message: FromThread): void {
  port?.postMessage(message);
}

function serve(connection: Connection): void {
  const files = StoreFiles.open(file, durability, locked);
  const executor = new GroupExecutor(connection, AREAS, { room: diskRoom(file), files });
  const endAfter = (fault: StorageFault | undefined): void => {
    if (fault) say({ type: 'broken', fault });
  };
  const garbage = new ThreadGarbage(MOST_GARBAGE);
  const answers: { readonly [type in ToThread['type']]: (message: Extract<ToThread, { type: type }>) => void } = {
    group: ({ requests }) => {
      say({ type: 'result', result: executor.run(requests) });
      garbage.tidy();
    },
    tidy: () => endAfter(tidy(connection, files)),
    look: () => endAfter(files.look()),
    close: () => {
      closeCleanly(connection, files);
      files.close(true);
      port?.close();
    },
  };
  port?.on('message', (message: ToThread) => answers[message.type](message as never));
  say({ type: 'ready' });
}

try {
  const driver = driverNamed(name);
  if (!driver) throw new Error(`driver ${name} cannot be loaded in a thread`);
  serve(openConnection(driver, file, durability));
} catch (error) {
  say({ type: 'refused', reason: (error as Error).message });
}

/** Program of the writer thread: owns the connection that writes and commits the groups that it is sent. */
import { parentPort, workerData } from 'node:worker_threads';
import { driverNamed } from '../driver/choose-driver.js';
import type { Connection } from '../driver/driver.js';
import { AREAS } from './areas.js';
import { diskRoom } from './disk-room.js';
import { GroupExecutor } from './group-executor.js';
import { openConnection } from './open-connection.js';
import type { FromThread, ThreadData, ToThread } from './thread-messages.js';
import { closeCleanly, tidy } from './tidy.js';

const port = parentPort;
const { driver: name, file, durability } = workerData as ThreadData;

function say(message: FromThread): void {
  port?.postMessage(message);
}

function serve(connection: Connection): void {
  const executor = new GroupExecutor(connection, AREAS, diskRoom(file));
  port?.on('message', (message: ToThread) => {
    if (message.type === 'group') say({ type: 'result', result: executor.run(message.requests) });
    else if (message.type === 'tidy') {
      const fault = tidy(connection);
      if (fault) say({ type: 'broken', reason: fault.reason });
    } else {
      closeCleanly(connection);
      port.close();
    }
  });
  say({ type: 'ready' });
}

try {
  const driver = driverNamed(name);
  if (!driver) throw new Error(`driver ${name} cannot be loaded in a thread`);
  serve(openConnection(driver, file, durability));
} catch (error) {
  say({ type: 'refused', reason: (error as Error).message });
}

/** Program of the thread that copies a database; answers with the problem, or with an empty text. */
import { parentPort, workerData } from 'node:worker_threads';
import { driverNamed } from '../driver/choose-driver.js';
import { type BackupData, copyTo } from './backup.js';

const { driver, file, target } = workerData as BackupData;

function copy(): string {
  try {
    const connection = driverNamed(driver)?.open(file);
    if (!connection) return `driver ${driver} cannot be loaded in a thread`;
    try {
      connection.exec('PRAGMA busy_timeout = 5000');
      copyTo(connection, target);
    } finally {
      connection.close();
    }
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

parentPort?.postMessage(copy());

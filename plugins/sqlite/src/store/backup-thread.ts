/** Program of the thread that copies a database; answers with the problem, or with an empty text. */
import { parentPort, workerData } from 'node:worker_threads';
import { driverNamed } from '../driver/choose-driver.js';
import { type BackupData, copyTo } from './backup.js';

const { driver: name, file, target } = workerData as BackupData;

function copy(): string {
  try {
    const driver = driverNamed(name);
    if (!driver) return `driver ${name} cannot be loaded in a thread`;
    const reads = driver.open(file);
    try {
      reads.exec('PRAGMA busy_timeout = 5000');
      copyTo({ driver, reads }, target);
    } finally {
      reads.close();
    }
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

parentPort?.postMessage(copy());

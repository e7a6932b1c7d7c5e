import { randomBytes } from 'node:crypto';
import { statfs, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Made } from '../files/made.js';
import { type DoctorFinding, failed, ok, warned } from './finding.js';

const WRITES = 25;
const WRITE_BYTES = 4096;
/** A disk that is slower limits durable messages to some dozen a second and in flight. */
const SLOW_SYNC_MS = 20;
const SCARCE_BYTES = 1024 ** 3;
const TOO_LITTLE_BYTES = 64 * 1024 ** 2;

/** Whether the data folder can be written, how fast its disk makes writes durable, and how much room there is. */
export async function checkDataFolder(folder: string): Promise<readonly DoctorFinding[]> {
  const made = new Made();
  try {
    await made.folder(folder, 0o700);
    const sync = await medianSyncMs(await made.open(join(folder, `.doctor-${randomBytes(6).toString('hex')}`), 0o600));
    return [ok('data folder', `${folder} can be written`), syncFinding(sync), roomFinding(await freeBytes(folder))];
  } catch (error) {
    const remedy = 'give this user the folder, or name another one by "engine.data_dir"';
    return [failed('data folder', `${folder} cannot be written: ${(error as Error).message}`, remedy)];
  } finally {
    // A look leaves nothing behind.
    await made.takeBack();
  }
}

/** Milliseconds from a write to its being on the disk. */
async function medianSyncMs(handle: FileHandle): Promise<number> {
  const block = Buffer.alloc(WRITE_BYTES, 1);
  const times: number[] = [];
  try {
    for (let write = 0; write < WRITES; write++) {
      const began = performance.now();
      await handle.write(block);
      await handle.datasync();
      times.push(performance.now() - began);
    }
  } finally {
    await handle.close();
  }
  return times.sort((a, b) => a - b)[Math.floor(WRITES / 2)] ?? 0;
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function syncFinding(ms: number): DoctorFinding {
  const figure = `a durable write takes ${ms.toFixed(2)} ms (median of ${WRITES})`;
  return ms > SLOW_SYNC_MS ? warned('disk', figure, 'put "engine.data_dir" on a local SSD; network disks are slow to sync') : ok('disk', figure);
}

function roomFinding(bytes: number): DoctorFinding {
  const room = `${(bytes / 1024 ** 3).toFixed(1)} GiB free`;
  const remedy = 'make room, or put "engine.data_dir" on another disk';
  if (bytes < TOO_LITTLE_BYTES) return failed('room', room, remedy);
  return bytes < SCARCE_BYTES ? warned('room', room, remedy) : ok('room', room);
}

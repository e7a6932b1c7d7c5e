import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type DoctorFinding, ok, warned } from './finding.js';

const READ_BY_OTHERS = 0o004;
const ENTERED_BY_OTHERS = 0o001;
/** They tell whose a store is, and nothing of what it holds. */
const HARMLESS = /\.(?:lock|pid)$/;

/** Which files of a folder every user of the machine can read: earlier versions left that to the umask. None on Windows. */
export async function checkAccess(folder: string): Promise<readonly DoctorFinding[]> {
  if (process.platform === 'win32') return [];
  const names = await openFiles(folder).catch(() => undefined);
  if (names === undefined) return []; // not there yet, or unusable, which another finding says
  if (names.length === 0) return [ok('access', `other users cannot read what is in ${folder}`)];
  return [warned('access', `every user of this machine can read ${names.join(', ')} in ${folder}`, `chmod 700 ${folder}`)];
}

async function openFiles(folder: string): Promise<readonly string[]> {
  if (((await stat(folder)).mode & ENTERED_BY_OTHERS) === 0) return [];
  const entries = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile() && !HARMLESS.test(entry.name));
  const open = await Promise.all(entries.map(async ({ name }) => (((await stat(join(folder, name))).mode & READ_BY_OTHERS) === 0 ? [] : [name])));
  return open.flat().sort();
}

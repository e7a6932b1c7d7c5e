import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SECRET_TOKEN_DRAFT } from '@treadle/api';
import { isHeld } from '@treadle/protocol/engine-record';

/** What engines make that compete for the directory; one that has just come has not shown itself yet. */
const LOCK_SOCKET = /^engine-[0-9a-f]{16}\.sock$/;
const RECORD_DRAFT = /^\.engine\.json\.[0-9a-f]{16}$/;
const YOUNG_MS = 60_000;

/** Removes what engines left in the data directory that were killed. To be called by its holder; what cannot be removed stays. */
export async function removeLeftBehind(folder: string): Promise<void> {
  const names = readdirSync(folder);
  const doomed = await Promise.all(names.map((name) => isLeftBehind(folder, name)));
  for (const [index, name] of names.entries()) {
    if (!doomed[index]) continue;
    try {
      rmSync(join(folder, name), { force: true });
    } catch {
      // It harms nobody; the next start tries again.
    }
  }
}

async function isLeftBehind(folder: string, name: string): Promise<boolean> {
  // Only the holder of the directory writes tokens.
  if (SECRET_TOKEN_DRAFT.test(name)) return true;
  if (RECORD_DRAFT.test(name)) return isOld(join(folder, name));
  return LOCK_SOCKET.test(name) && isOld(join(folder, name)) && !await isHeld(folder, name);
}

function isOld(file: string): boolean {
  const { mtimeMs } = lstatSync(file, { throwIfNoEntry: false }) ?? {};
  return mtimeMs !== undefined && Date.now() - mtimeMs > YOUNG_MS;
}

import { createHash } from 'node:crypto';
import { readFileSync, watch, type FSWatcher } from 'node:fs';
import { dirname } from 'node:path';

/** Editors write in several steps; the file is read when it has been quiet this long. */
const QUIET_MS = 100;

/**
 * Calls `changed` when the content of a file became another one, until the returned function is called. Watches the
 * folder, not the file: editors and mounted configuration replace the file or a link on the way to it.
 */
export function watchConfig(file: string, changed: () => void): () => void {
  let content = hashOf(file);
  let quiet: NodeJS.Timeout | undefined;
  const look = (): void => {
    const now = hashOf(file);
    // A file that is missing for a moment is being replaced; its return is the change.
    if (now === undefined || now === content) return;
    content = now;
    changed();
  };
  const watcher = watch(dirname(file), { persistent: false }, () => {
    clearTimeout(quiet);
    quiet = setTimeout(look, QUIET_MS).unref();
  });
  return stopWatching(watcher, () => clearTimeout(quiet));
}

function stopWatching(watcher: FSWatcher, cancel: () => void): () => void {
  watcher.on('error', () => watcher.close()); // The folder went away: there is nothing left to see.
  return () => {
    cancel();
    watcher.close();
  };
}

function hashOf(file: string): string | undefined {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex');
  } catch {
    return undefined;
  }
}

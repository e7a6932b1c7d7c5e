import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, watch } from 'node:fs';
import { dirname } from 'node:path';

/** Editors write in several steps; the file is read when it has been quiet this long. */
const QUIET_MS = 100;

/**
 * Calls `changed` when the content of a file became another one, until the returned function is called. Watches the
 * folder, not the file: editors and mounted configuration replace the file or a link on the way to it.
 * @throws an `ErrnoException` when the system has no watches left
 */
export function watchConfig(file: string, changed: () => void): () => void {
  let content: string | undefined;
  let quiet: NodeJS.Timeout | undefined;
  const look = (): void => {
    const now = hashOf(file);
    // A file that is missing for a moment is being replaced; its return is the change.
    if (now === undefined || now === content) return;
    content = now;
    changed();
  };
  const folders = new Set([dirname(file), dirname(realpathSync(file))]);
  const unwatch = watchFolders([...folders], () => {
    clearTimeout(quiet);
    quiet = setTimeout(look, QUIET_MS).unref();
  });
  // Only now: what is saved from here on raises an event.
  content = hashOf(file);
  return () => {
    clearTimeout(quiet);
    unwatch();
  };
}

function watchFolders(folders: readonly string[], stirred: () => void): () => void {
  const watchers = folders.map((folder) => watch(folder, { persistent: false }, stirred));
  // A folder that went away: there is nothing left to see.
  for (const watcher of watchers) watcher.on('error', () => watcher.close());
  return () => { for (const watcher of watchers) watcher.close(); };
}

function hashOf(file: string): string | undefined {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex');
  } catch {
    return undefined;
  }
}

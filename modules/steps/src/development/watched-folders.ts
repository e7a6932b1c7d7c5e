import { type FSWatcher, watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isSearched, STEP_FOLDERS } from '@treadle/worker/discover';

export interface WatchedFoldersOptions {
  /** Absolute. */
  readonly root: string;
  readonly onEvent: () => void;
  readonly onError: (error: Error) => void;
}

/**
 * One watcher for each folder that matters. Node's own recursive watching misses files in new folders on Linux with
 * Node 20, so the tree is walked again after each event.
 */
export class WatchedFolders {
  private readonly watchers = new Map<string, FSWatcher>();
  private readonly imported = new Set<string>();
  private open = true;

  constructor(private readonly options: WatchedFoldersOptions) {}

  /** Watches what is there now. `imports` are paths relative to the root. */
  async sync(imports: Iterable<string>): Promise<void> {
    const { root } = this.options;
    const folders = new Set([root]);
    for (const folder of STEP_FOLDERS) await collect(join(root, folder), folders);
    this.imported.clear();
    for (const file of imports) {
      const path = join(root, file);
      this.imported.add(path);
      folders.add(dirname(path));
    }
    for (const [folder, watcher] of this.watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.watchers.delete(folder);
    }
    for (const folder of folders) this.add(folder);
  }

  close(): void {
    this.open = false;
    for (const watcher of this.watchers.values()) watcher.close();
    this.watchers.clear();
  }

  private add(folder: string): void {
    if (!this.open || this.watchers.has(folder)) return;
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (this.matters(folder, name)) this.options.onEvent();
      });
      watcher.on('error', () => this.drop(folder));
      this.watchers.set(folder, watcher);
    } catch (error) {
      // Gone again, or the system has no watchers left: that is worth a word, not the engine.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.options.onError(error as Error);
    }
  }

  /** A removed folder; whatever comes in its place is found by the next walk. */
  private drop(folder: string): void {
    this.watchers.get(folder)?.close();
    this.watchers.delete(folder);
    this.options.onEvent();
  }

  private matters(folder: string, name: string | null): boolean {
    const { root } = this.options;
    if (name === null || this.imported.has(join(folder, name))) return true;
    if (folder === root) return STEP_FOLDERS.includes(name);
    return STEP_FOLDERS.some((top) => folder === join(root, top) || folder.startsWith(join(root, top, '/')));
  }
}

async function collect(folder: string, found: Set<string>): Promise<void> {
  let entries;
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch {
    return; // not there (any more): nothing to watch
  }
  found.add(folder);
  for (const entry of entries) {
    if (entry.isDirectory() && isSearched(entry.name)) await collect(join(folder, entry.name), found);
  }
}

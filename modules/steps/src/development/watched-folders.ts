import { type FSWatcher, watch } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { TaskLane } from '@treadle/api';
import { isSearched, isStepFile, STEP_FOLDERS } from '@treadle/worker/discover';

export interface WatchedFoldersOptions {
  /** Absolute. */
  readonly root: string;
  readonly onEvent: () => void;
  readonly onError: (error: Error) => void;
}

interface Watched {
  readonly watcher: FSWatcher;
  /** Device and number of what is watched: the system follows that, and not the path. */
  readonly inode: string;
}

/** What is there to be watched. */
interface Found {
  readonly folders: Set<string>;
  /** Step files that are links. */
  readonly links: string[];
}

/**
 * One watcher for each folder that matters. Node's own recursive watching misses files in new folders on Linux with
 * Node 20, so the tree is walked again after each event.
 */
export class WatchedFolders {
  private readonly watchers = new Map<string, Watched>();
  private readonly imported = new Set<string>();
  /** A look that begins with fewer imports and ends later would forget what another one has added. */
  private readonly lane = new TaskLane();
  private open = true;

  constructor(private readonly options: WatchedFoldersOptions) {}

  /**
   * Watches what is there now, after the looks that were asked for before. `imports` gives paths relative to the root. True when
   * something is watched anew: what was changed there just before raised no event.
   */
  sync(imports: () => Iterable<string>): Promise<boolean> {
    return this.lane.run(() => this.look(imports));
  }

  close(): void {
    this.open = false;
    for (const folder of [...this.watchers.keys()]) this.forget(folder);
  }

  private async look(imports: () => Iterable<string>): Promise<boolean> {
    const { root } = this.options;
    const found: Found = { folders: new Set([root]), links: [] };
    for (const folder of STEP_FOLDERS) await collect(join(root, folder), found);
    const { folders, links } = found;
    const files = [...imports()].map((file) => join(root, file));
    const targets = await Promise.all([...files, ...links].map((file) => realpath(file).catch(() => undefined)));
    this.imported.clear();
    for (const path of [...files, ...targets]) {
      if (path === undefined) continue;
      this.imported.add(path);
      folders.add(dirname(path));
    }
    const inodes = new Map(await Promise.all([...folders].map(async (folder) => [folder, await inodeOf(folder)] as const)));
    for (const [folder, { inode }] of this.watchers) if (inode !== inodes.get(folder)) this.forget(folder);
    const isNew = [...inodes].map(([folder, inode]) => inode !== undefined && this.add(folder, inode));
    return isNew.includes(true);
  }

  /** True when it was not watched before. */
  private add(folder: string, inode: string): boolean {
    if (!this.open || this.watchers.has(folder)) return false;
    try {
      const watcher = watch(folder, { persistent: false }, (event, name) => {
        // The folder itself was moved or removed, or something in it that is called the same; its number may be in use again.
        if (event === 'rename' && name === basename(folder)) this.drop(folder, watcher);
        else if (this.matters(folder, name)) this.options.onEvent();
      });
      watcher.on('error', () => this.drop(folder, watcher));
      this.watchers.set(folder, { watcher, inode });
      return true;
    } catch (error) {
      // Gone again, or the system has no watchers left: that is worth a word, not the engine.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.options.onError(error as Error);
      return false;
    }
  }

  /** A removed folder; whatever comes in its place is found by the next walk. */
  private drop(folder: string, watcher: FSWatcher): void {
    if (this.watchers.get(folder)?.watcher !== watcher) return;
    this.forget(folder);
    this.options.onEvent();
  }

  private forget(folder: string): void {
    this.watchers.get(folder)?.watcher.close();
    this.watchers.delete(folder);
  }

  private matters(folder: string, name: string | null): boolean {
    const { root } = this.options;
    if (name === null || this.imported.has(join(folder, name))) return true;
    if (folder === root) return STEP_FOLDERS.includes(name);
    return STEP_FOLDERS.some((top) => folder === join(root, top) || folder.startsWith(join(root, top, '/')));
  }
}

/** Undefined: there is no such folder. */
async function inodeOf(folder: string): Promise<string | undefined> {
  return stat(folder, { bigint: true }).then(({ dev, ino }) => `${dev}:${ino}`, () => undefined);
}

async function collect(folder: string, found: Found): Promise<void> {
  let entries;
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch {
    return; // not there (any more): nothing to watch
  }
  found.folders.add(folder);
  for (const entry of entries) {
    if (entry.isDirectory() && isSearched(entry.name)) await collect(join(folder, entry.name), found);
    else if (entry.isSymbolicLink() && isStepFile(entry.name)) found.links.push(join(folder, entry.name));
  }
}

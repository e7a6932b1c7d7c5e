import type { Clock, Logger, StepFile, StepFileReport, Timer } from '@treadle/api';
import { discoverStepFiles } from '@treadle/worker/discover';
import { ImportVersions } from './import-versions.js';
import { WatchedFolders } from './watched-folders.js';

export interface StepWatcherOptions {
  /** Absolute path of the application. */
  readonly root: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** When workers were asked to load the first files; milliseconds since the epoch. */
  readonly loadedMs: number;
  /** The files as they are now; called only when something has changed. */
  readonly onChange: (files: readonly StepFile[]) => void;
  /** After each look at the folders, whether a Step file has changed or not. */
  readonly onLook: () => Promise<void>;
}

/** Editors write in several steps; one look at the end of them is enough. */
const SETTLE_MS = 25;

/** Tells when Step files, or files that they import, are changed, added or removed. */
export class StepWatcher {
  private readonly folders: WatchedFolders;
  private readonly versions: ImportVersions;
  private known = '';
  /** When workers were last asked to load something. */
  private askedMs = 0;
  private timer: Timer | undefined;
  private looking: Promise<void> | undefined;
  private again = false;
  private closed = false;

  constructor(private readonly options: StepWatcherOptions) {
    const { root, log } = options;
    this.versions = new ImportVersions(root);
    this.folders = new WatchedFolders({
      root, onEvent: () => this.schedule(),
      onError: (error) => log.warn('a folder cannot be watched; changes in it are not seen', { reason: error.message }),
    });
  }

  /** Begins with the files that are served already. */
  async start(files: readonly StepFile[]): Promise<void> {
    this.known = JSON.stringify(files);
    this.askedMs = this.options.loadedMs;
    await this.folders.sync(this.imports);
    // What was changed between discovery and here raised no event.
    this.schedule();
  }

  /** Learns which files a change of which Steps shows in. */
  async learn(reports: readonly StepFileReport[]): Promise<void> {
    this.versions.learn(reports);
    // Watched first and looked at afterwards, so that no change is missed in between.
    const isNew = !this.closed && await this.folders.sync(this.imports);
    if (await this.versions.remember(this.askedMs) || isNew) this.schedule();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.timer?.cancel();
    this.folders.close();
    await this.looking;
    this.folders.close();
  }

  private readonly imports = (): ReadonlySet<string> => this.versions.imports;

  private schedule(): void {
    if (this.closed || this.timer) return;
    this.timer = this.options.clock.after(SETTLE_MS, () => {
      this.timer = undefined;
      if (this.looking) this.again = true;
      else this.looking = this.look();
    });
  }

  private async look(): Promise<void> {
    try {
      const files = await this.versions.apply(await discoverStepFiles(this.options.root));
      if (await this.folders.sync(this.imports)) this.again = true;
      this.tell(files);
      await this.options.onLook();
    } catch (error) {
      this.options.log.warn('Step files could not be read', { reason: String(error) });
    }
    this.looking = undefined;
    if (this.again) this.schedule();
    this.again = false;
  }

  private tell(files: readonly StepFile[]): void {
    const now = JSON.stringify(files);
    if (this.closed || now === this.known) return;
    this.known = now;
    this.askedMs = this.options.clock.now();
    this.options.onChange(files);
  }
}

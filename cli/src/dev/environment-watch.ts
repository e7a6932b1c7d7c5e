import { watch, type FSWatcher } from 'node:fs';
import { resolve } from 'node:path';
import type { Application } from '../application/application.js';
import { glanceAtConfig } from '../application/config-glance.js';
import { applicationEnvironment, type Environment } from '../application/dotenv.js';

/** Editors write in several steps; files are read when they have been quiet this long. */
const QUIET_MS = 100;
const MODE = 'development';
const ENVIRONMENT_FILE = /^\.env(?:\.|$)/;

/**
 * The environment files of an application in development: what they say beneath the variables that were `given`.
 */
export class EnvironmentWatch {
  private now: Environment = {};
  /** What whoever asked has last been told of, or has taken. */
  private told: Environment = {};
  private problem: Error | undefined;
  private watcher: FSWatcher | undefined;
  private quiet: NodeJS.Timeout | undefined;
  private waiter: { readonly settle: (names: readonly string[]) => void; readonly refuse: (error: Error) => void } | undefined;

  private constructor(private readonly application: Application, private readonly given: Environment) {}

  /** @param given the environment of this process before any file was read */
  static async start(application: Application, given: Environment): Promise<EnvironmentWatch> {
    const made = new EnvironmentWatch(application, given);
    made.now = await applicationEnvironment(application, MODE, given);
    const { root = '.' } = await glanceAtConfig(application);
    made.listen(resolve(application.folder, root));
    return made;
  }

  /** Takes the variables as the files say now. */
  take(): Environment {
    this.told = this.now;
    return this.now;
  }

  /**
   * Settles with the names of variables that are another than was told or taken last, at once when they have changed meanwhile.
   * @throws {CONFIG_NOT_READABLE} when a file has changed and cannot be read; what it said before holds on
   */
  next(): Promise<readonly string[]> {
    return new Promise((settle, refuse) => {
      this.waiter = { settle, refuse };
      this.tell();
    });
  }

  stop(): void {
    clearTimeout(this.quiet);
    this.watcher?.close();
  }

  /** The folder, not the file: editors replace it, and it may come later. Without watches the files count at the next start. */
  private listen(root: string): void {
    try {
      this.watcher = watch(root, { persistent: false }, (_event, name) => {
        if (name === null || !ENVIRONMENT_FILE.test(name)) return;
        clearTimeout(this.quiet);
        this.quiet = setTimeout(() => void this.look(), QUIET_MS).unref();
      });
      this.watcher.on('error', () => this.watcher?.close());
    } catch {
      this.watcher = undefined;
    }
  }

  private async look(): Promise<void> {
    try {
      this.now = await applicationEnvironment(this.application, MODE, this.given);
      this.problem = undefined;
    } catch (error) {
      this.problem = error as Error;
    }
    this.tell();
  }

  private tell(): void {
    const { waiter, now, told, problem } = this;
    if (!waiter) return;
    const names = [...new Set([...Object.keys(told), ...Object.keys(now)])].filter((name) => told[name] !== now[name]);
    if (!problem && names.length === 0) return;
    this.waiter = this.problem = undefined;
    if (problem) return waiter.refuse(problem);
    this.told = now;
    waiter.settle(names.sort());
  }
}

import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger, StepFileReport } from '@treadle/api';
import { isRegister } from '../gateway/message-shape.js';
import type { BuildId } from './build-book.js';

/** What Step processes of one source brought last. */
export interface KeptSource extends BuildId {
  readonly source: string;
  readonly reports: readonly StepFileReport[];
}

const FILE = 'remote-steps.json';
/** Form of the file; one of another form is not read. */
const VERSION = 1;

/**
 * The last known catalog of Step processes that somebody else starts, in the data directory: after a restart of the engine
 * their routes are there before the processes are. What no newer catalog names any more is not in it.
 */
export class KeptCatalog {
  private readonly file: string;
  private written = '';
  private wanted = '';
  private writing: Promise<void> | undefined;

  constructor(dataDir: string, private readonly log: Logger) {
    this.file = join(dataDir, FILE);
  }

  /** What the file holds; nothing when there is none, or one that cannot be used, which is logged. */
  async read(): Promise<readonly KeptSource[]> {
    const text = await readFile(this.file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') this.log.warn('the last known Steps of other processes cannot be read', { file: this.file, reason: error.message });
      return undefined;
    });
    if (text === undefined) return [];
    const sources = sourcesOf(text);
    if (!sources) this.log.warn('the last known Steps of other processes are in no form that this version knows', { file: this.file });
    this.written = this.wanted = text;
    return sources ?? [];
  }

  /** Writes them down, unless that is what the file holds. */
  keep(sources: readonly KeptSource[]): void {
    if (sources.length === 0 && this.wanted === '') return;
    this.wanted = JSON.stringify({ version: VERSION, sources });
    if (this.wanted !== this.written) this.writing ??= this.write().finally(() => { this.writing = undefined; });
  }

  /** Resolves when what was to be kept is written. */
  async settled(): Promise<void> {
    await this.writing;
  }

  /** For this user alone; readers see the old or the new one, never half. */
  private async write(): Promise<void> {
    const draft = `${this.file}.${process.pid}`;
    while (this.written !== this.wanted) {
      const text = this.wanted;
      try {
        await writeFile(draft, text, { mode: 0o600, flush: true });
        await chmod(draft, 0o600);
        await rename(draft, this.file);
      } catch (error) {
        // Only a restart would miss it; the next change tries again.
        this.log.warn('the Steps of other processes cannot be written down', { file: this.file, reason: (error as Error).message });
        return;
      }
      this.written = text;
    }
  }
}

function sourcesOf(text: string): readonly KeptSource[] | undefined {
  try {
    const { version, sources } = JSON.parse(text) as { version?: unknown; sources?: unknown };
    if (version !== VERSION || !Array.isArray(sources)) return undefined;
    return sources.every(isSource) ? sources : undefined;
  } catch {
    return undefined; // no JSON: the caller says so
  }
}

function isSource(value: unknown): value is KeptSource {
  const { source, application, build, reports } = (value ?? {}) as Record<string, unknown>;
  const isNamed = typeof source === 'string' && typeof application === 'string' && (build === undefined || typeof build === 'string');
  return isNamed && isRegister({ type: 'register', complete: false, reports });
}

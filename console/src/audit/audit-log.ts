import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@treadle/api';
import type { AuditEntry } from '../contract/index.js';

/** Entries that are kept. */
export const MOST_ENTRIES = 1_000;
/** Lines of the file at which it is written anew with the entries that are kept; so it is after a line that was cut. */
const MOST_LINES = 2 * MOST_ENTRIES;

/** What becomes an entry. */
export type AuditNote = Omit<AuditEntry, 'id'>;

/** Who changed what: the last 1,000 entries, in memory and in `<data_dir>/audit.jsonl`, where they outlast the engine. */
export class AuditLog {
  private entries: AuditEntry[] = [];
  private lines = 0;
  /** The file ends with a whole line: another one may follow. */
  private isWhole = true;
  private last = 0;
  private written: Promise<void> = Promise.resolve();
  private readonly file: string;

  constructor(dataDir: string, private readonly log: Logger) {
    this.file = join(dataDir, 'audit.jsonl');
  }

  /** Takes up what a former run has written. */
  async open(): Promise<void> {
    const text = await readFile(this.file, 'utf8').catch(() => '');
    const lines = text.split('\n').filter((line) => line !== '');
    this.lines = lines.length;
    this.isWhole = text === '' || text.endsWith('\n');
    this.entries = lines.slice(-MOST_ENTRIES).flatMap(entryOf);
    this.last = this.entries.at(-1)?.id ?? 0;
  }

  add(note: AuditNote): void {
    const entry: AuditEntry = { id: this.last += 1, ...note };
    this.entries.push(entry);
    if (this.entries.length > MOST_ENTRIES) this.entries.shift();
    this.written = this.written.then(() => this.write(entry)).catch((error: unknown) => {
      this.log.warn('the audit log could not be written', { file: this.file, reason: String(error) });
    });
  }

  ofRequest(requestId: string): AuditEntry | undefined {
    return this.entries.find((entry) => entry.requestId === requestId);
  }

  /** The latest first, those before `cursor`. */
  page(limit: number, cursor = Infinity): { readonly items: readonly AuditEntry[]; readonly cursor?: string } {
    const older = this.entries.filter(({ id }) => id < cursor).reverse();
    const items = older.slice(0, limit);
    return { items, ...items.length < older.length ? { cursor: String(items.at(-1)?.id) } : {} };
  }

  /** Resolves when everything is in the file. */
  async close(): Promise<void> {
    await this.written;
  }

  private async write(entry: AuditEntry): Promise<void> {
    if (this.isWhole && this.lines < MOST_LINES) {
      // Where that fails a part may be there.
      this.isWhole = false;
      await appendFile(this.file, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
      this.isWhole = true;
      this.lines += 1;
      return;
    }
    const kept = this.entries.filter(({ id }) => id <= entry.id);
    await writeFile(`${this.file}.new`, kept.map((one) => `${JSON.stringify(one)}\n`).join(''), { mode: 0o600 });
    await rename(`${this.file}.new`, this.file);
    this.isWhole = true;
    this.lines = kept.length;
  }
}

/** None for a line that was cut. */
function entryOf(line: string): readonly AuditEntry[] {
  try {
    return [JSON.parse(line) as AuditEntry];
  } catch {
    return [];
  }
}

import type { JetLog } from './jet-log.js';

/** How far changes of a log have been handed on. */
export interface Mark {
  /** All changes of messages up to this sequence. */
  readonly upTo: number;
  /** Ids behind it. */
  readonly settled: ReadonlySet<string>;
}

interface MarkRecord {
  readonly created: string;
  readonly upTo: number;
  readonly settled: readonly string[];
}

/** The record of what is settled of one log; it only grows. */
export class SettledMark {
  /** `upTo` as this engine knows it: never too high. */
  known = 0;

  constructor(private readonly records: JetLog, private readonly subject: string, private readonly log: JetLog) {}

  async read(): Promise<Mark> {
    return (await this.find()).mark;
  }

  /** Replaces the mark by what `next` makes of it, again when another engine was faster; undefined leaves it. */
  async change(next: (mark: Mark) => Mark | undefined): Promise<void> {
    for (;;) {
      const { mark, seq } = await this.find();
      const wanted = next(mark);
      if (!wanted) return;
      const record: MarkRecord = { created: this.log.created, upTo: wanted.upTo, settled: [...wanted.settled] };
      if (await this.records.append(this.subject, { text: JSON.stringify(record), after: seq }) === undefined) continue;
      this.known = Math.max(this.known, wanted.upTo);
      return;
    }
  }

  private async find(): Promise<{ readonly mark: Mark; readonly seq: number }> {
    const found = await this.records.last(this.subject);
    const record = found ? JSON.parse(found.text) as MarkRecord : undefined;
    // A log that was made anew counts from 1 again.
    const valid = record?.created === this.log.created ? record : undefined;
    this.known = Math.max(this.known, valid?.upTo ?? 0);
    return { mark: { upTo: valid?.upTo ?? 0, settled: new Set(valid?.settled ?? []) }, seq: found?.seq ?? 0 };
  }
}

import type { JetLog } from './jet-log.js';

/** So many messages left, or a fourth of it of changes apart, are some 500 KB in the record; a server takes 1 MB. */
const MOST_LEFT = 60_000;

/** How far changes of a log have been handed on. */
export interface Mark {
  /** All changes of messages up to this sequence. */
  readonly upTo: number;
  /** All changes of messages up to this one too, but for those that are left; at least `upTo`. */
  readonly through: number;
  /** Sequences of messages of which changes are left, between the two. */
  readonly left: ReadonlySet<number>;
  /** Ids of changes apart: of messages that are left, or behind all. */
  readonly settled: ReadonlySet<string>;
}

interface MarkRecord {
  readonly created: string;
  readonly upTo: number;
  readonly settled: readonly string[];
  /** Missing in what a former version wrote. */
  readonly through?: number;
  /** Each as its distance from the one before, the first from `upTo`. */
  readonly left?: readonly number[];
}

/** Whether all changes of a message have been handed on. */
export function isSettled({ upTo, through, left, settled }: Mark, { seq, count }: { readonly seq: number; readonly count: number }): boolean {
  if (seq <= upTo || (seq <= through && !left.has(seq))) return true;
  for (let index = 0; index < count; index += 1) if (!settled.has(`${seq}.${index}`)) return false;
  return true;
}

/** So much is left that nothing behind it may be handed on: the record would become too large for the server. */
export function isCrowded({ left, settled }: Mark): boolean {
  return left.size + 4 * settled.size > MOST_LEFT;
}

/** The record of what is settled of one log; it only grows. */
export class SettledMark {
  /** `upTo` as this engine knows it: never too high. */
  known = 0;
  /** As it was last read. */
  private kept: { readonly text: string | undefined; readonly created: string; readonly mark: Mark } | undefined;

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
      if (await this.records.append(this.subject, { text: JSON.stringify(this.recordOf(wanted)), after: seq }) === undefined) continue;
      this.known = Math.max(this.known, wanted.upTo);
      return;
    }
  }

  private recordOf({ upTo, through, left, settled }: Mark): MarkRecord {
    let last = upTo;
    const distances = [...left].sort((a, b) => a - b).map((seq) => {
      const distance = seq - last;
      last = seq;
      return distance;
    });
    return { created: this.log.created, upTo, settled: [...settled], through, left: distances };
  }

  private async find(): Promise<{ readonly mark: Mark; readonly seq: number }> {
    const found = await this.records.last(this.subject);
    const [text, { created }] = [found?.text, this.log];
    if (this.kept?.text !== text || this.kept?.created !== created) this.kept = { text, created, mark: markOf(text, created) };
    const { mark } = this.kept;
    this.known = Math.max(this.known, mark.upTo);
    return { mark, seq: found?.seq ?? 0 };
  }
}

function markOf(text: string | undefined, created: string): Mark {
  const record = text === undefined ? undefined : JSON.parse(text) as MarkRecord;
  // A log that was made anew counts from 1 again.
  const { upTo, settled, through = upTo, left = [] }: Omit<MarkRecord, 'created'> = record?.created === created ? record : { upTo: 0, settled: [] };
  let seq = upTo;
  return { upTo, through, settled: new Set(settled), left: new Set(left.map((distance) => (seq += distance))) };
}

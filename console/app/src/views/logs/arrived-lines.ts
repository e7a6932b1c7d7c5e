import type { LogEvent, LogRecord } from '../../api/types.generated.js';
import type { TailRow } from './tail-row.js';

let gaps = 0;

/** Several may come at a time, with the same number. */
export function gapRow(dropped: number): TailRow {
  gaps += 1;
  return { id: `gap ${gaps}`, missing: `${dropped} lines came faster than they may be shown` };
}

/** Numbers begin at the time of the engine's start: with a clock that was put back in between, lines of two runs may share one. */
export function identity(row: TailRow): string {
  return 'missing' in row ? row.id : `${row.id} ${row.timestamp}`;
}

/** What has come of a log beside the page that was asked for. */
export class ArrivedLines {
  private rows = new WeakSet<TailRow>();

  /** `latest`: id of the newest line of the page. */
  constructor(private latest: number) {}

  /** Id of the newest line that is known. */
  get newest(): number {
    return this.latest;
  }

  /** The rows of what is told, the newest first, without lines that are known: a page that was asked for anew may have them. */
  take(events: readonly LogEvent[]): readonly TailRow[] {
    const added = events.flatMap((event): TailRow[] => ('dropped' in event ? [gapRow(event.dropped)] : event.id <= this.latest ? [] : [event])).reverse();
    for (const row of added) {
      this.rows.add(row);
      if (!('missing' in row)) this.latest = Math.max(this.latest, row.id);
    }
    return added;
  }

  /** The rows with a new page: what came while it was asked for is not in it. */
  before(page: readonly LogRecord[], rows: readonly TailRow[]): readonly TailRow[] {
    this.latest = Math.max(this.latest, page[0]?.id ?? 0);
    const inPage = new Set(page.map(identity));
    return [...rows.filter((row) => this.rows.has(row) && !inPage.has(identity(row))), ...page];
  }

  /** Another engine writes the log. */
  restart(): void {
    [this.rows, this.latest] = [new WeakSet(), 0];
  }
}

/** A stretch of time in which a zone's clocks run evenly. Times are milliseconds since the epoch. */
export interface ZonePeriod {
  readonly from: number;
  /** The first moment after it. */
  readonly until: number;
  /** Wall time less time, in milliseconds. */
  readonly offset: number;
  /** Offset just before `from`; the same when nothing changed there. */
  readonly before: number;
}

interface Change {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

interface Chunk {
  readonly from: number;
  readonly until: number;
  /** Offset at `from`. */
  readonly offset: number;
  readonly changes: readonly Change[];
}

const DAY_MS = 86_400_000;
const CHUNK_MS = 32 * DAY_MS;
/** A chunk knows the changes of the days before it as well, so that repeated times are recognized across its border. */
const LOOK_BACK_MS = 2 * DAY_MS;
/** No zone changes twice within it. */
const PROBE_MS = DAY_MS / 4;
const MAX_CHUNKS = 1_000;

/** Offsets of a time zone, found by asking `Intl`. */
export class TimeZone {
  private static readonly known = new Map<string, TimeZone>();
  private readonly chunks = new Map<number, Chunk>();

  private constructor(private readonly format: Intl.DateTimeFormat) {}

  /** The zone of an IANA name. @throws RangeError when there is none */
  static of(name: string): TimeZone {
    let zone = TimeZone.known.get(name);
    if (!zone) {
      zone = new TimeZone(new Intl.DateTimeFormat('en-US', {
        timeZone: name, hourCycle: 'h23', era: 'short', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric',
      }));
      TimeZone.known.set(name, zone);
    }
    return zone;
  }

  /** The period that a moment is in. A period may end where nothing changes. */
  period(time: number): ZonePeriod {
    const { from, until, offset, changes } = this.chunk(Math.floor(time / CHUNK_MS));
    let period: ZonePeriod = { from, until, offset, before: offset };
    for (const { at, before, after } of changes) {
      if (at > time) return { ...period, until: at };
      period = { from: at, until, offset: after, before };
    }
    return period;
  }

  private chunk(number: number): Chunk {
    const known = this.chunks.get(number);
    if (known) return known;
    if (this.chunks.size >= MAX_CHUNKS) this.chunks.clear();
    const from = number * CHUNK_MS - LOOK_BACK_MS;
    const until = (number + 1) * CHUNK_MS;
    const chunk = { from, until, offset: this.offsetAt(from), changes: this.changes(from, until) };
    this.chunks.set(number, chunk);
    return chunk;
  }

  private changes(from: number, until: number): readonly Change[] {
    const changes: Change[] = [];
    let before = this.offsetAt(from);
    for (let time = from; time < until; time += PROBE_MS) {
      const after = this.offsetAt(time + PROBE_MS);
      if (after === before) continue;
      const at = this.changeBetween(time, time + PROBE_MS, before);
      if (at < until) changes.push({ at, before, after });
      before = after;
    }
    return changes;
  }

  /** The first second whose offset is another one. */
  private changeBetween(from: number, until: number, before: number): number {
    let [same, other] = [from / 1000, until / 1000];
    while (other - same > 1) {
      const middle = Math.floor((same + other) / 2);
      if (this.offsetAt(middle * 1000) === before) same = middle;
      else other = middle;
    }
    return other * 1000;
  }

  private offsetAt(time: number): number {
    const parts: Record<string, string> = {};
    for (const { type, value } of this.format.formatToParts(time)) parts[type] = value;
    const part = (name: string): number => Number(parts[name]);
    const wall = new Date(0);
    wall.setUTCFullYear(parts['era'] === 'BC' ? 1 - part('year') : part('year'), part('month') - 1, part('day'));
    wall.setUTCHours(part('hour'), part('minute'), part('second'));
    return wall.getTime() - Math.floor(time / 1000) * 1000;
  }
}

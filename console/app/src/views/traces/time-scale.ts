import type { SpanRow } from '../../api/types.generated.js';
import { duration } from '../../format/duration.js';
import { type Extent, ticksOf } from './timeline.js';

/** A stretch of a trace in which no span ran. Milliseconds since the beginning of the trace. */
export interface Gap {
  readonly from: number;
  readonly lengthMs: number;
}

/** One that is drawn short; place and width as parts of the whole width. */
export interface FoldedGap extends Gap {
  readonly left: number;
  readonly width: number;
}

/** Where a time of a trace is drawn. */
export interface TimeScale extends Extent {
  readonly gaps: readonly FoldedGap[];
  /** Of a time since the epoch: 0 at the beginning of the stretch, 1 at its end; outside of it less or more. */
  readonly part: (time: number) => number;
  /** The other way round. */
  readonly timeAt: (part: number) => number;
}

/** What a folded gap takes of the width. */
const FOLDED = 0.06;
const MOST_FOLDED = 6;
/** A gap is folded when it would take more of what is left of the width, and is long for a person. */
const LARGEST = 0.5;
const LONG_MS = 500;
const SHORTEST_MS = 0.001;

/** Stretches without a running span, the first first; waits for a message are no work. Spans that still run or have no duration count at their start. */
export function gapsOf(rows: readonly SpanRow[], { from }: Pick<Extent, 'from'>): readonly Gap[] {
  const times = rows.map(({ startTime, durationMs }) => [startTime - from, startTime - from + durationMs] as const).sort(([a], [b]) => a - b);
  const gaps: Gap[] = [];
  let busyTo = 0;
  for (const [start, end] of times) {
    if (start - busyTo > SHORTEST_MS) gaps.push({ from: busyTo, lengthMs: start - busyTo });
    busyTo = Math.max(busyTo, end);
  }
  return gaps;
}

/** The gaps within a stretch of time that would leave less than half of it to what happens: the longest first, until the rest can be seen. */
export function foldable(gaps: readonly Gap[], { offsetMs, lengthMs }: Extent): readonly Gap[] {
  const long = gaps.filter((gap) => gap.lengthMs >= LONG_MS && gap.from >= offsetMs && gap.from + gap.lengthMs <= offsetMs + lengthMs).sort((a, b) => b.lengthMs - a.lengthMs);
  const folded: Gap[] = [];
  let left = lengthMs;
  for (const gap of long.slice(0, MOST_FOLDED)) {
    if (gap.lengthMs <= left * LARGEST || left - gap.lengthMs < SHORTEST_MS) break;
    folded.push(gap);
    left -= gap.lengthMs;
  }
  return folded.sort((a, b) => a.from - b.from);
}

interface Piece {
  /** Milliseconds since the beginning of the stretch. */
  readonly from: number;
  readonly lengthMs: number;
  readonly left: number;
  readonly width: number;
}

/** A scale that is even but for these gaps, which lie within the stretch, the first first. */
export function timeScale(extent: Extent, gaps: readonly Gap[] = []): TimeScale {
  const { from, lengthMs, offsetMs } = extent;
  const idle = gaps.reduce((sum, gap) => sum + gap.lengthMs, 0);
  const perMs = (1 - gaps.length * FOLDED) / Math.max(lengthMs - idle, SHORTEST_MS);
  const pieces: Piece[] = [];
  const folded: FoldedGap[] = [];
  let [at, left] = [0, 0];
  const add = (until: number, width: number): void => {
    pieces.push({ from: at, lengthMs: until - at, left, width });
    [at, left] = [until, left + width];
  };
  for (const gap of gaps) {
    const begin = gap.from - offsetMs;
    if (begin > at) add(begin, (begin - at) * perMs);
    folded.push({ ...gap, left, width: FOLDED });
    add(begin + gap.lengthMs, FOLDED);
  }
  if (lengthMs > at) add(lengthMs, 1 - left);
  const pieceAt = (fits: (piece: Piece) => boolean): Piece => pieces.find(fits) ?? pieces.at(-1) as Piece;
  return {
    ...extent, gaps: folded,
    part: (time) => {
      const piece = pieceAt((one) => time - from < one.from + one.lengthMs);
      return piece.left + ((time - from - piece.from) / piece.lengthMs) * piece.width;
    },
    timeAt: (part) => {
      const piece = pieceAt((one) => part < one.left + one.width);
      return from + piece.from + ((part - piece.left) / piece.width) * piece.lengthMs;
    },
  };
}

/** A mark on the axis. */
export interface Tick {
  readonly part: number;
  readonly text: string;
}

/** Nearer marks would stand on each other. */
const NEAREST = 0.09;

/** Marks of a scale. Behind a folded gap they count from its end, which is marked with the time since the beginning of the trace. */
export function scaleTicks(scale: TimeScale): readonly Tick[] {
  const { gaps, from, offsetMs, lengthMs } = scale;
  if (gaps.length === 0) return ticksOf(scale).map(({ at, text }) => ({ part: (at - offsetMs) / lengthMs, text }));
  const starts = [offsetMs, ...gaps.map((gap) => gap.from + gap.lengthMs)];
  const ends = [...gaps.map((gap) => gap.from), offsetMs + lengthMs];
  const ticks: Tick[] = [];
  for (const [index, start] of starts.entries()) {
    const length = (ends[index] as number) - start;
    const place = (at: number): number => scale.part(from - offsetMs + at);
    const isBegin = index === 0;
    const limit = gaps[index]?.left ?? 1;
    const room = limit === 1 ? limit : limit - NEAREST / 2;
    if (!isBegin) ticks.push({ part: place(start), text: duration(start) });
    if (length <= SHORTEST_MS) continue;
    const width = limit - place(start);
    // As wide as if it were all, so that marks are as far from each other as everywhere.
    for (const { at, text } of ticksOf({ lengthMs: length / Math.max(width, NEAREST), offsetMs: isBegin ? offsetMs : 0 })) {
      const part = place(isBegin ? at : start + at);
      if (part > room || (!isBegin && at === 0) || part - (ticks.at(-1)?.part ?? -1) < NEAREST) continue;
      ticks.push({ part, text: isBegin ? text : `+${text}` });
    }
  }
  return ticks;
}
